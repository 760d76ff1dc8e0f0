"""``weigh ladder --load``: the same load over growing data, each rung a load with evidence of its own."""
