"""JupyterLab in headless Chromium: opening it, waiting for it, looking at it."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, FloatRect, Locator, Page, expect

from tests.server.jupyter import TOKEN, Jupyter

EXTENSION = Path(__file__).parents[2] / "jupyter_kb" / "labextension"
NODE_MODULES = Path(__file__).parents[2] / "labextension" / "node_modules"
SHOTS = "JUPYTER_KB_SHOTS"
"""The environment variable that names a folder where pictures are kept."""
MILLISECONDS = 30_000
WIDTH, HEIGHT = 1400, 900

expect.set_options(timeout=MILLISECONDS)


def served(
    home: Path,
    root: Path,
    config: Mapping[str, Mapping[str, Any]] | None = None,
    *,
    collaboration: bool = False,
    page_config: Mapping[str, Any] | None = None,
) -> Jupyter:
    """A Jupyter server, not yet started, that shows JupyterLab with this checkout's extension and the folder `root`."""
    assert (EXTENSION / "package.json").is_file(), "the labextension is not built: make setup"
    extensions = home / "extensions"
    extensions.mkdir(parents=True, exist_ok=True)
    if not (extensions / "jupyter-kb").exists():
        (extensions / "jupyter-kb").symlink_to(EXTENSION)
    disabled = {} if collaboration else dict.fromkeys(_COLLABORATION, True)
    pages = home / "config" / "labconfig"
    pages.mkdir(parents=True, exist_ok=True)
    (pages / "page_config.json").write_text(json.dumps({"disabledExtensions": disabled, **(page_config or {})}))
    config = config or {}
    merged = {
        **config,
        "LabApp": {
            "extra_labextensions_path": [str(extensions)],
            "expose_app_in_browser": True,
            "news_url": None,
            "check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
            **config.get("LabApp", {}),
        },
        "JupyterKB": {"model": "hashing:64", **config.get("JupyterKB", {})},
    }
    loaded = {
        "jupyterlab": True,
        "jupyter_lsp": True,
        "jupyter_server_ydoc": collaboration,
        "jupyter_server_fileid": collaboration,
    }
    return Jupyter(home, root, merged, extensions=loaded)


_COLLABORATION = ("@jupyter/collaboration-extension", "@jupyter/docprovider-extension")


class Lab:
    """One page of JupyterLab. `errors` collects what the console reports as an error."""

    def __init__(self, page: Page, server: Jupyter) -> None:
        self.page, self.server = page, server
        self.errors: list[str] = []
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.set_default_timeout(MILLISECONDS)

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.errors.append(f"{message.text} ({message.location.get('url', '')})")

    def open(self, path: str = "", *, theme: str = "light", workspace: str | None = None) -> Lab:
        """Load JupyterLab, in a workspace of its own unless one is named, and wait until it is there."""
        if theme == "dark":
            self.settings("@jupyterlab/apputils-extension:themes", {"theme": "JupyterLab Dark"})
        self.settings(
            "@jupyterlab/apputils-extension:notification", {"fetchNews": "false", "checkForUpdates": False}
        )  # the question about news lies over what is at the lower right
        space = workspace or f"test-{uuid.uuid4().hex[:8]}"
        tree = f"/tree/{path}" if path else ""
        self.page.goto(f"{self.server.url}lab/workspaces/{space}{tree}?token={TOKEN}")
        self.page.wait_for_function("() => window.jupyterapp?.restored")
        self.page.evaluate("() => window.jupyterapp.restored.then(() => null)")
        self.page.locator("#jupyterlab-splash").wait_for(state="detached")
        return self

    def settings(self, plugin: str, values: Mapping[str, Any]) -> None:
        """Store the user's settings of a plugin on the server."""
        answer = self.server.client.put(
            f"lab/api/settings/{plugin}",
            json={"raw": json.dumps(values)},
            headers={"Authorization": f"token {self.server.token}"},
        )
        assert answer.status_code == 204, answer.text

    def run(self, command: str, arguments: Mapping[str, Any] | None = None) -> Any:
        """Execute a command of JupyterLab's."""
        return self.page.evaluate(
            "([id, args]) => window.jupyterapp.commands.execute(id, args).then(() => null)", [command, arguments or {}]
        )

    def axe(self, selector: str) -> list[str]:
        """What axe-core finds serious or critical below a selector; empty is good."""
        if not self.page.evaluate("() => 'axe' in window"):
            self.page.add_script_tag(path=str(NODE_MODULES / "axe-core" / "axe.min.js"))
        found = self.page.evaluate("selector => axe.run(selector, {resultTypes: ['violations']})", selector)
        return [
            f"{fault['id']}: {fault['help']}: {[node['html'][:160] for node in fault['nodes'][:3]]}"
            for fault in found["violations"]
            if fault["impact"] in ("serious", "critical")
        ]

    def shot(self, name: str, of: Locator | None = None, *, clip: FloatRect | None = None) -> None:
        """A picture `NAME.png` in the folder that JUPYTER_KB_SHOTS names; without it the picture is only taken.

        Of an element, or of a part of the page, in CSS pixels.
        """
        folder = os.environ.get(SHOTS)
        path = Path(folder) / f"{name}.png" if folder else None
        if of:
            of.screenshot(path=path, animations="disabled")
        else:
            self.page.screenshot(path=path, animations="disabled", clip=clip)


@contextmanager
def opened(browser: Browser, server: Jupyter, **options: Any) -> Iterator[Lab]:
    """A page of its own, without JupyterLab yet. The console must have reported no error at its end."""
    context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, device_scale_factor=2, **options)
    try:
        lab = Lab(context.new_page(), server)
        yield lab
        assert lab.errors == [], "\n".join(lab.errors)
    finally:
        context.close()
