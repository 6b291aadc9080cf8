#include "targets.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return stoker::fuzz::run_array("npy", data, size);
}
