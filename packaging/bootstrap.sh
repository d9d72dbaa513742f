#!/bin/sh
# Sets up what the Makefile's targets need: the virtual environment from the lock file, and system libraries.
#
#   packaging/bootstrap.sh run    the application: requirements.lock, the window's libraries, Xvfb where there is no display
#   packaging/bootstrap.sh lint   requirements-dev.lock only
#   packaging/bootstrap.sh bench  requirements-dev.lock (it holds the reference, the `opentine` package), the window's libraries, Graphviz
#   packaging/bootstrap.sh dev    requirements-dev.lock, the window's libraries, and what the window tests are driven with
#
# Needs Python 3.11 or later (PYTHON names it) and nothing else. Missing Debian packages are installed as root or with
# `sudo -n`; where neither is possible the exact command is printed and the exit status is 1. A second call does nothing.
# On macOS the window needs no libraries beside the Python packages; its tests need Linux.
set -eu

mode=${1:-run}
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$root"
venv=.venv
python=$venv/bin/python

system=$(uname -s)
patience=600 # seconds to wait for another installation

say() { printf '%s\n' "$*" >&2; }
fail() { say "bootstrap: $*"; exit 1; }

case $mode in
    run) lock=requirements.lock ;;
    lint | dev | bench) lock=requirements-dev.lock ;;
    *) fail "unknown mode '$mode'; use run, lint, dev or bench" ;;
esac

# install_packages NAME...: installs Debian packages, or says how to and stops.
install_packages() {
    if ! command -v apt-get >/dev/null 2>&1; then
        fail "this system lacks what Debian calls: $*. Install its counterparts, then run the same command again."
    fi
    if [ "$(id -u)" = 0 ]; then
        as_root=
    elif command -v sudo >/dev/null 2>&1 && sudo -n true >/dev/null 2>&1; then
        as_root='sudo -n'
    else
        say "Some system packages are missing, and installing them needs root. Please run:"
        say ""
        say "    sudo apt-get install --yes --no-install-recommends $*"
        say ""
        fail "then run the same command again."
    fi
    say "Installing system packages: $*"
    # A stale or partly unreachable package list does not matter as long as the packages can be downloaded.
    apt_when_free update -q || say "apt-get update failed; going on with the lists at hand"
    apt_when_free install --yes --no-install-recommends -q "$@" || fail "apt-get could not install: $*"
}

# apt_when_free ARGUMENT...: apt-get, once no other installation holds its locks.
apt_when_free() {
    waited=0
    while :; do
        status=0
        said=$($as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get "$@" </dev/null 2>&1) || status=$?
        case $status:$said in
            0:*) printf '%s\n' "$said" | tail -n 1 >&2; return 0 ;;
            *"Could not get lock"* | *"Unable to lock"* | *"Unable to acquire the dpkg frontend lock"*)
                [ "$waited" -lt "$patience" ] || fail "apt was busy for $patience seconds; run the same command again later."
                [ "$waited" != 0 ] || say "apt is busy with another installation; waiting for it to finish …"
                sleep 3
                waited=$((waited + 3)) ;;
            *) printf '%s\n' "$said" >&2; return "$status" ;;
        esac
    done
}

# install_python_packages: pip, with a line that counts the packages.
install_python_packages() {
    total=$(grep -c '^[a-zA-Z0-9]' "$lock")
    say "Installing the Python packages of $lock (at most $total; the first time takes a minute or two)"
    report=$venv/pip-report
    : >"$report"
    # A pipe would hide pip's status: it is kept in a file.
    {
        PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1 PIP_ROOT_USER_ACTION=ignore "$python" -m pip install \
            --progress-bar off --no-color --require-hashes --only-binary :all: -r "$lock" </dev/null 2>"$report" ||
            echo failed
    } | awk -v terminal="$([ -t 2 ] && echo 1)" -v total="$total" '
        /^Collecting / { count++; line = sprintf("  %d of %d  %s", count, total, $2) }
        /^Installing collected packages/ { line = "  unpacking" }
        /^failed$/ { failed = 1 }
        line != "" {
            if (terminal) printf "\r%-72.72s", line > "/dev/stderr"; else if (count % 10 == 1) print line > "/dev/stderr"
            line = ""
        }
        END { if (terminal) printf "\r%-72s\r", "" > "/dev/stderr"; exit failed }' || {
        cat "$report" >&2
        fail "pip could not install $lock; see above. The network or the package index may be out of reach."
    }
    cp "$lock" "$venv/installed-$lock"
}

is_new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

find_python() {
    for candidate in "${PYTHON:-python3}" python3 python3.14 python3.13 python3.12 python3.11; do
        if command -v "$candidate" >/dev/null 2>&1 && is_new_enough "$candidate"; then
            printf '%s\n' "$candidate"
            return 0
        fi
    done
    return 1
}

# --- the virtual environment ---------------------------------------------------------------------------------------
make_environment() {
    if ! base=$(find_python); then
        how="apt-get install python3 python3-venv, or your system's own package"
        [ "$system" != Darwin ] || how="brew install python@3.13, or the installer of python.org"
        fail "no Python 3.11 or later found. Install one ($how) or name one: make run PYTHON=python3.13"
    fi
    if ! "$base" -c 'import ensurepip, venv' >/dev/null 2>&1; then
        # On Debian venv is a package of its own for each Python.
        install_packages "$("$base" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')"
    fi
    say "Creating the Python environment in $venv ($("$base" --version 2>&1))"
    "$base" -m venv --clear "$venv" || fail "could not create $venv with $base"
}

if ! { [ -x "$python" ] && is_new_enough "$python" && "$python" -m pip --version >/dev/null 2>&1; }; then
    make_environment
fi

# The stamps are copies of the lock files that were installed; requirements-dev.lock holds all of requirements.lock.
stamp=$venv/installed-$lock
if ! cmp -s "$lock" "$stamp" && ! { [ "$mode" = run ] && cmp -s requirements-dev.lock "$venv/installed-requirements-dev.lock"; }; then
    install_python_packages
fi
[ "$mode" != lint ] || exit 0

if [ "$system" != Linux ]; then
    "$python" -c 'import dearpygui.dearpygui' || fail "Dear PyGui is installed but cannot be loaded; see above"
    [ "$mode" = run ] || say "bootstrap: the window tests and measurements need Linux; what needs no window runs here: make test TESTS='-m \"not window\"'"
    exit 0
fi

# --- the system's libraries ----------------------------------------------------------------------------------------
# What Dear PyGui's extension links to or opens at run time, and the package each comes in. The libGLX_* line is the driver:
# any will do; Mesa's is the one installed here.
missing_libraries() {
    "$python" - <<'PYTHON'
import ctypes

NEEDED = (
    (("libstdc++.so.6",), "libstdc++6"),
    (("libX11.so.6",), "libx11-6"),
    (("libX11-xcb.so.1",), "libx11-xcb1"),
    (("libXcursor.so.1",), "libxcursor1"),
    (("libXext.so.6",), "libxext6"),
    (("libXi.so.6",), "libxi6"),
    (("libXinerama.so.1",), "libxinerama1"),
    (("libXrandr.so.2",), "libxrandr2"),
    (("libXrender.so.1",), "libxrender1"),
    (("libXxf86vm.so.1",), "libxxf86vm1"),
    (("libGL.so.1",), "libgl1"),
    (("libGLX_mesa.so.0", "libGLX_nvidia.so.0"), "libglx-mesa0 libgl1-mesa-dri"),
)


def loads(name):
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


print(" ".join(package for names, package in NEEDED if not any(map(loads, names))))
PYTHON
}

# missing_tools COMMAND=PACKAGE...: the packages whose command is not on the path.
missing_tools() {
    for pair in "$@"; do
        command -v "${pair%%=*}" >/dev/null 2>&1 || printf '%s ' "${pair#*=}"
    done
}

if [ "$mode" = dev ]; then
    tools='Xvfb=xvfb xdotool=xdotool chromium=chromium xclip=xclip xprop=x11-utils objdump=binutils
        xdg-open=xdg-utils update-mime-database=shared-mime-info update-desktop-database=desktop-file-utils
        gio=libglib2.0-bin openbox=openbox strace=strace zsh=zsh fish=fish'
elif [ "$mode" = bench ]; then
    tools='Xvfb=xvfb xdotool=xdotool dot=graphviz'
elif [ -z "${DISPLAY:-}" ]; then
    tools='Xvfb=xvfb xauth=xauth'
else
    tools=
fi

system_stamp=$venv/system-libraries-found
wanted=$(missing_tools $tools)
[ -e "$system_stamp" ] || wanted="$wanted$(missing_libraries)"
if [ -n "$(printf %s "$wanted" | tr -d ' ')" ]; then
    # shellcheck disable=SC2086 # the list is meant to be split
    install_packages $wanted
fi
if [ ! -e "$system_stamp" ]; then
    left=$(missing_libraries)
    [ -z "$left" ] || fail "these libraries still cannot be loaded after installing: $left"
    "$python" -c 'import dearpygui.dearpygui' || fail "Dear PyGui is installed but cannot be loaded; see above"
    : >"$system_stamp"
fi
