"""What sessions of a server wait for: sampled while it is under load, analysed and reported afterwards."""
