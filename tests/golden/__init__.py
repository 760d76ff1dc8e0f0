"""What every command prints of kept evidence, compared whole. `make golden` writes what is expected anew."""
