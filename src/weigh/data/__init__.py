"""Datasets: generators with their ground truth, physical layouts, manifests, and the cache that holds them."""
