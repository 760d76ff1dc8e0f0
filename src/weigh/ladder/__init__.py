"""``weigh ladder``: the experiment over growing scales, or over values of a setting."""
