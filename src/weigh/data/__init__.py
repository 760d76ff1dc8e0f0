"""Datasets: generators with their ground truth, layouts, manifests, and the cache that holds them."""
