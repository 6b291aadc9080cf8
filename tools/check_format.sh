#!/bin/sh
# check_format.sh CLANG_FORMAT FILE…: fails for a file that `make format` would change.
# Only version 14 is used: others format some lines differently.
set -eu

formatter=$1
shift
if [ -z "$formatter" ] || ! "$formatter" --version | grep -q 'version 14\.'; then
  echo "skipped: clang-format 14 is not installed"
  exit 0
fi
status=0
for file in "$@"; do
  if ! "$formatter" --dry-run --Werror "$file" 2>/dev/null; then
    echo "$file: not formatted; make format does it"
    status=1
  fi
done
exit $status
