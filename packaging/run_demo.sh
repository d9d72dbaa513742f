#!/bin/sh
# Opens the demo runs. Without a display the same window is drawn on a virtual one and its picture is saved under build/.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$root"
python=.venv/bin/python

set -- assets/demo/research-01.tine assets/demo/retry-01.tine assets/demo/merged/evidence.tine

what_next() {
    cat >&2 <<'WORDS'

What to try next:
  F1 in the window                                      every key; Ctrl+K finds every action
  docs/TUTORIAL.md                                      ten minutes from a failed run to a mended one
  .venv/bin/python -m opentine_gui FILE|FOLDER          your own runs
  .venv/bin/python -m opentine_gui show FILE            a run in the terminal
  uv tool install .                                     the command opentine-gui, for good
WORDS
}

if [ -n "${DISPLAY:-}" ] || [ "$(uname -s)" != Linux ]; then
    status=0
    "$python" -m opentine_gui open "$@" || status=$?
    [ "$status" != 0 ] || what_next
    exit "$status"
fi

if [ -n "${WAYLAND_DISPLAY:-}" ]; then
    echo "This Wayland session has no Xwayland (DISPLAY is not set), which the window needs: install xwayland." >&2
fi
picture=build/demo.png
mkdir -p build
rm -f "$picture"
echo "No display: drawing the demo on a virtual one." >&2
# Software rendering is what a virtual display has; naming it keeps the driver from complaining first.
LIBGL_ALWAYS_SOFTWARE=1 xvfb-run --auto-servernum --server-args='-screen 0 1600x1000x24 -nolisten tcp' \
    "$python" -m opentine_gui open "$@" --screenshot "$picture" </dev/null
[ -s "$picture" ] || { echo "run: the window left no picture at $picture" >&2; exit 1; }
echo "What the window shows is saved in $root/$picture"
what_next
