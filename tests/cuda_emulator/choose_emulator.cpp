#include <cstdlib>

#include "test_places.h"

// The other tests in this program run on the emulated GPU.
namespace {

const bool chosen = [] {
  setenv("STOKER_CUDA_LIBRARIES", STOKER_BINARY_DIR "/emulator", 1);
  setenv("STOKER_CACHE_DIR", STOKER_BINARY_DIR "/emulator/cache", 1);
  return true;
}();

}  // namespace
