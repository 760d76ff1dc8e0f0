"""``scipy.special`` without half of NumPy.

When SciPy is first imported it takes every name that NumPy lists, and with them the modules that NumPy imports where
somebody asks: f2py, testing, ma and others. They take as long as the rest of the import.
"""

from __future__ import annotations

import numpy as np

__all__ = ["special"]

_LISTED = {"__all__": np.__all__, "__dir__": np.__dir__}
_LOADED = [name for name in np.__dir__() if name in vars(np)]
vars(np).update(__all__=[name for name in np.__all__ if name in _LOADED], __dir__=lambda: _LOADED)
try:
    from scipy import special
finally:
    vars(np).update(_LISTED)
