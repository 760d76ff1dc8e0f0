"""YCSB: its workloads and their properties."""
