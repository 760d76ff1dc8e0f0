"""``weigh run``, ``gate`` and ``demo``: contenders side by side. Spec, gate, blocks, seal, results, report."""
