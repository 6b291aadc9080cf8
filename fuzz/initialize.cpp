#include "io/verify_checksums.h"

// Linked into every fuzzer: inputs would hardly ever have a valid checksum.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  stoker::verify_checksums = false;
  return 0;
}
