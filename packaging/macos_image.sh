#!/bin/sh
# Makes dist/opentine-gui-VERSION.dmg from dist/opentine-gui.app: the bundle beside a link to Applications.
# The bundle is signed ad hoc, which Apple processors require of every program. It is not notarized, so people who
# download it have to allow it once.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$root"
version=$(.venv/bin/python -c 'import opentine_gui; print(opentine_gui.__version__)')
bundle=dist/opentine-gui.app
[ -d "$bundle" ] || { echo "macos_image: $bundle is not there; run make binary first" >&2; exit 1; }

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
cp -R "$bundle" "$stage/"
ln -s /Applications "$stage/Applications"
codesign --force --deep --sign - "$stage/opentine-gui.app"
hdiutil create -volname opentine -srcfolder "$stage" -ov -format UDZO "dist/opentine-gui-$version.dmg"
