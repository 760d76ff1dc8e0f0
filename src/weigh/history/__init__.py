"""``weigh history``: series over sealed evidence, split where the environment changed; changes are candidates."""
