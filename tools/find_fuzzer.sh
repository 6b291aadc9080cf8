#!/bin/sh
# Prints the compiler with which fuzzers can be built; nothing if there is none.
set -eu

compiler=$(command -v clang++-16 || true)
[ -n "$compiler" ] || exit 0
[ -n "$(find "$("$compiler" -print-resource-dir)/" -name 'libclang_rt.fuzzer*' 2>/dev/null)" ] || exit 0
echo "$compiler"
