"""What every test may use: Hypothesis profiles, the demo vault, and the sample vaults where they are present."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

DATA_VARIABLE = "JUPYTER_KB_DATA"
DEMO_VAULT = Path(__file__).parent.parent / "notebooks" / "vault"

# A loaded machine is no failure, so neither profile sets a deadline.
settings.register_profile("dev", deadline=None, max_examples=50)
settings.register_profile(
    "ci", deadline=None, max_examples=200, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect what needs the sample vaults when they are not there."""
    if os.environ.get(DATA_VARIABLE):
        return
    needing_data = [item for item in items if item.get_closest_marker("data")]
    if needing_data:
        config.hook.pytest_deselected(items=needing_data)
        items[:] = [item for item in items if not item.get_closest_marker("data")]


@pytest.fixture(autouse=True, scope="session")
def _own_jupyter_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Indexes and locks go into a temporary folder, never into the user's."""
    home = tmp_path_factory.mktemp("jupyter")
    with pytest.MonkeyPatch.context() as patch:
        for kind in ("DATA", "RUNTIME", "CONFIG"):
            patch.setenv(f"JUPYTER_{kind}_DIR", str(home / kind.lower()))
        yield


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of the sample vaults, for tests marked `data`."""
    folder = Path(os.environ[DATA_VARIABLE])
    assert folder.is_dir(), f"{DATA_VARIABLE} names {folder}, which is not a folder"
    return folder


@pytest.fixture
def demo_vault(tmp_path: Path) -> Path:
    """A copy of the demo vault that a test may change."""
    return Path(shutil.copytree(DEMO_VAULT, tmp_path / "vault"))
