"""A signal that comes while evidence is sealed ends weigh afterwards."""

from __future__ import annotations

import signal
import threading

import pytest

from weigh.evidence.postponed import postponed


def test_the_first_waits_and_the_second_does_not() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt) as ended, postponed("it is sealed"):
        signal.raise_signal(signal.SIGINT)
        done.append("first")
    assert (done, ended.value.__notes__) == (["first"], ["it is sealed"])
    with pytest.raises(KeyboardInterrupt) as ended, postponed("it is sealed"):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        done.append("second")
    assert (done, getattr(ended.value, "__notes__", [])) == (["first"], [])
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_is_ignored_stays_ignored_and_what_fails_is_raised() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with postponed(""):
            signal.raise_signal(signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
    with pytest.raises(OSError, match="full"), postponed(""):
        signal.raise_signal(signal.SIGINT)
        raise OSError("full")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_another_thread_changes_nothing() -> None:
    found = []

    def body() -> None:
        with postponed(""):
            found.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    assert found == [signal.default_int_handler]
