"""E4: somebody else's job on the machine, exactly while one contender is timed."""

from __future__ import annotations

from pathlib import Path

from .pace import Pace


class Neighbour(Pace):
    """Has somebody else's job work during each of its executions, and at no other time.

    The job is begun by whoever asks for this contender, and works while there is a file of the name of its diary with
    ``.busy`` behind it: a job of its own would be the contender's, and counted with it.
    """

    def run(self) -> int:
        busy = Path(f"{self.law['diary']}.busy")
        busy.touch()
        try:
            return super().run()
        finally:
            busy.unlink()
