"""Fixtures for pytest: `ptx_device`, a device that is closed after the test, and `ptx_check`."""

from __future__ import annotations

from typing import Callable, Iterator

import pytest

from . import Device, check


@pytest.fixture
def ptx_device() -> Iterator[Device]:
    """A device that behaves like the newest GPU."""
    with Device() as device:
        yield device


@pytest.fixture
def ptx_check() -> Callable[[str], None]:
    """Fails the test if a module has errors."""

    def require(source: str) -> None:
        report = check(source)
        if not report:
            pytest.fail("\n".join(f"{found.line}: {found.code}: {found.message}" for found in report.findings))

    return require
