#!/bin/sh
# Prints the folder of CUDA's toolkit if the CUDA backend can be built, else nothing.
set -eu

for root in "${CUDA_PATH:-/nowhere}" "$(dirname "$(command -v nvcc || echo /nowhere)")/.." /usr/local/cuda; do
  [ -x "$root/bin/nvcc" ] || continue
  release=$("$root/bin/nvcc" --version | sed -n 's/.*release \([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
  [ "$(printf '%d%02d' ${release:-0 0})" -ge 1204 ] || continue
  for headers in "$root/include" /usr/include /usr/local/include "/usr/include/$(uname -m)-linux-gnu"; do
    [ -f "$headers/cudnn.h" ] || continue
    echo "$root"
    exit 0
  done
done
