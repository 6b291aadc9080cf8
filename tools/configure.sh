#!/bin/sh
# configure.sh FOLDER PRESET OPTION=ON|OFF: configures the build folder, unless it is so already.
set -eu

folder=$1 preset=$2 option=$3
file="$folder/build.ninja"
cache="$folder/CMakeCache.txt"
fresh=
if [ -f "$cache" ] && grep -q "^${option%=*}:BOOL=${option#*=}\$" "$cache"; then
  [ -f "$file" ] && [ ! CMakePresets.json -nt "$file" ] && exit 0
elif [ "${option%=*}" = STOKER_FUZZ ]; then
  fresh=--fresh  # the other compiler's objects are of no use
fi
cmake $fresh --preset "$preset" "-D$option"
touch "$file"
