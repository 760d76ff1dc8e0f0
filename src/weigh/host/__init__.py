"""The machine under the measurement."""
