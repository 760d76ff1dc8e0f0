"""What a site of much evidence costs: seconds and bytes of ``weigh publish``, and whether every row leads somewhere.

One experiment is measured in a few seconds, DuckDB against SQLite; then its evidence is written once more under other
seeds and by the dates of other days, until there is as much as is wanted: journals, pages and seals are real, and what
they say is not measured anew. One in ten has a second attempt. ``WEIGH_BENCH_PUBLISH_EVIDENCE`` [200].
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from weigh.evidence import sealing
from weigh.evidence.attempts import begin
from weigh.evidence.journal import Journal
from weigh.experiment import derived, record
from weigh.experiment.report import files

if TYPE_CHECKING:
    from collections.abc import Iterator
