#!/usr/bin/env bash
# make demo: JupyterLab on a copy of the notebooks and the demo vault, indexed and embedded, with the sidebar open.
# Whatever is tried out happens in build/demo; the checkout, your notes and your Jupyter configuration are not touched.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$PWD/build/demo
export JUPYTER_CONFIG_DIR=$work/.jupyter/config JUPYTER_DATA_DIR=$work/.jupyter/data JUPYTER_RUNTIME_DIR=$work/.jupyter/runtime
export IPYTHONDIR=$work/.jupyter/ipython
unset JUPYTER_CONFIG_PATH JUPYTER_TOKEN

if [ -e "$work" ] && [ "${FRESH:-}" != 1 ]; then
    echo "Going on in build/demo as it was left (FRESH=1 begins anew)"
else
    rm -rf "$work"
    mkdir -p "$work"
    cp -r notebooks "$work/"
fi
mkdir -p "$JUPYTER_CONFIG_DIR/labconfig"
cp binder/jupyter_server_config.json "$JUPYTER_CONFIG_DIR/"
# one person looks at the demo: what is for several at once stays off
cat >"$JUPYTER_CONFIG_DIR/labconfig/page_config.json" <<'JSON'
{
  "disabledExtensions": {
    "@jupyter/collaboration-extension": true,
    "@jupyter/docprovider-extension": true,
    "@jupyterlab/apputils-extension:announcements": true
  }
}
JSON

echo "Indexing the demo vault and making its vectors (about half a minute)"
jupyter kb index "$work/notebooks/vault"
jupyter kb embed --vault "$work/notebooks/vault"
[ -d "$JUPYTER_CONFIG_DIR/lab/workspaces" ] || jupyter lab workspaces import binder/workspace.json >/dev/null

token=$(python -c 'import secrets; print(secrets.token_hex(16))')
port=$(python - "${PORT:-8888}" <<'PYTHON'
import socket
import sys

for port in range(int(sys.argv[1]), int(sys.argv[1]) + 50):
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", port)) != 0:
            print(port)
            break
PYTHON
)
root=()
[ "$(id -u)" != 0 ] || root=(--allow-root)
cd "$work"
jupyter lab --no-browser --port "$port" --ServerApp.port_retries=0 --IdentityProvider.token="$token" \
    --ServerApp.jpserver_extensions="{'jupyter_server_ydoc': False}" --Application.log_level=WARN "${root[@]}" &
server=$!
trap 'kill "$server" 2>/dev/null; wait "$server" 2>/dev/null || true' EXIT
trap 'exit 0' INT TERM
until python -c "import urllib.request as r; r.urlopen('http://127.0.0.1:$port/api/status?token=$token')" 2>/dev/null; do
    kill -0 "$server" 2>/dev/null || exit 1
    sleep 0.3
done
cat <<TEXT

  JupyterLab with the knowledge base:

      http://localhost:$port/lab/workspaces/demo?token=$token

  Open it in a browser, press Alt+K (Cmd+Option+K on macOS) and ask: how long must the cells stay in the dark
  docs/tutorials/in-jupyterlab.md goes on from there, in three minutes. You work on a copy, in build/demo.
  Ctrl+C here ends it.

TEXT
wait "$server"
