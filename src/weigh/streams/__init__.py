"""weigh run --streams: the power and the throughput test of TPC-H, with refresh functions and every answer checked."""
