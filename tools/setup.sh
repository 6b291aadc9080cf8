#!/bin/sh
# setup.sh [PACKAGE…]: installs the given packages, or those that the build and the demo need; silent and
# offline when nothing is missing.
set -eu

packages="${*:-g++ cmake ninja-build make pkg-config libfmt-dev libcli11-dev libtomlplusplus-dev
zlib1g-dev libjpeg-dev libpng-dev libhwy-dev libgtest-dev python3 dataset-fashion-mnist}"

if ! command -v dpkg-query >/dev/null; then
  echo "setup: no dpkg here, so nothing was checked; the build needs:" $packages
  exit 0
fi

missing=""
for package in $packages; do
  state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
  as_root="env"
elif command -v sudo >/dev/null; then
  as_root="sudo env"
else
  echo "setup: these packages are missing, and there is neither root nor sudo to install them." >&2
  echo "setup: run as root: apt-get install --no-install-recommends$missing" >&2
  exit 1
fi

echo "setup: installing$missing"
$as_root apt-get -qq update
$as_root DEBIAN_FRONTEND=noninteractive \
  apt-get -qq -y -o Dpkg::Use-Pty=0 install --no-install-recommends $missing
