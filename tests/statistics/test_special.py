"""What importing the special functions does not import, and that NumPy is as it was."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import sys
import numpy as np
before = np.__all__, dir(np)
from weigh.statistics.special import special
print(sorted({"numpy.f2py", "numpy.ma", "numpy.testing"} & set(sys.modules)))
print((np.__all__, dir(np)) == before, "f2py" in dir(np), np.f2py.__name__, float(special.ndtri(0.5)))
"""


def test_nothing_of_numpy_is_imported_that_nobody_asks_for() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], check=True, stdout=subprocess.PIPE, text=True)
    assert done.stdout == "[]\nTrue True numpy.f2py 0.0\n"
