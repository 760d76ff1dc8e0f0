"""What a server did beside answering, on the axis of time: sampled during a load, linked to spikes, reported."""
