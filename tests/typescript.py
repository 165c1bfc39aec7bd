"""Whether the TypeScript types of the REST API are those of today: `python -m tests.typescript [--write]`.

The types are generated from the API's own document, so that the front end cannot drift from the server unseen.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from jupyter_kb.rest import openapi

FRONT = Path(__file__).parent.parent / "labextension"
TYPES = FRONT / "src" / "api" / "schema.ts"


def generated() -> str:
    """What `schema.ts` should be."""
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    with tempfile.TemporaryDirectory() as folder:
        document, types = Path(folder) / "openapi.json", Path(folder) / "schema.ts"
        document.write_text(json.dumps(openapi.document()), encoding="utf-8")
        for command in (
            ["openapi-typescript", str(document), "-o", str(types)],
            ["prettier", "--config", ".prettierrc.json", "--write", str(types)],
        ):
            subprocess.run(
                ["jlpm", *command], cwd=FRONT, env=environment, check=True, stdout=subprocess.DEVNULL, timeout=300
            )
        return types.read_text(encoding="utf-8")


def main() -> int:
    """0 if the types are up to date or were written."""
    today = generated()
    if "--write" in sys.argv[1:]:
        TYPES.write_text(today, encoding="utf-8")
        return 0
    if TYPES.read_text(encoding="utf-8") == today:
        return 0
    sys.stderr.write(f"{TYPES.relative_to(FRONT.parent)} is not what the REST API says today: make types\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
