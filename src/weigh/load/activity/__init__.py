"""What a server did besides answering, on the axis of time: sampled during a load, linked to spikes, reported."""
