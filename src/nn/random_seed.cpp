#include "nn/random_seed.h"

#include <atomic>

#include "core/philox.h"
#include "stoker/layer.h"

namespace stoker {
namespace nn {
namespace {
std::atomic<uint64_t> seed = 0x5704e5, made = 0;
}  // namespace

uint64_t global_seed() { return seed; }

uint64_t next_seed() {
  const auto words = Philox{seed}(made++, 0x5eed);
  return (static_cast<uint64_t>(words[0]) << 32) | words[1];
}

Array first_random_state(std::optional<int64_t> given) {
  const auto words = Philox{given ? static_cast<uint64_t>(*given) : next_seed()}(0, 0xd4a3);
  return Array::scalar(static_cast<int64_t>((uint64_t{words[0]} << 32) | words[1]));
}

void restart_seeds(uint64_t value) {
  seed = value;
  made = 0;
}
}  // namespace nn

void set_random_seed(uint64_t value) { nn::restart_seeds(value); }

}  // namespace stoker
