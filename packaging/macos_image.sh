#!/bin/sh
# Makes dist/opentine-gui-VERSION.dmg out of dist/opentine-gui.app: the bundle beside a link to Applications.
# The bundle is signed ad hoc, which is what an Apple processor asks of a program that runs where it was built;
# people who download it still have to allow it once, because it is not notarized.
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
