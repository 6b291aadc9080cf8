#include "core/philox.h"
#include "ops/op_case.h"

namespace stoker::testing {
namespace {

using Ints = std::vector<int64_t>;

Plain uniform(uint64_t seed, int64_t size) {
  return [=](const std::vector<Array>& in) {
    return from_index(size, [&](int64_t i) {
      const auto words =
          Philox{seed}(static_cast<uint64_t>(i / 4), static_cast<uint64_t>(in[0].at(0)));
      return double{uniform_from_bits(words[static_cast<size_t>(i % 4)])};
    });
  };
}
Plain normal(uint64_t seed, int64_t size) {
  return [=](const std::vector<Array>& in) {
    return from_index(size, [&](int64_t i) {
      const auto words =
          Philox{seed}(static_cast<uint64_t>(i / 4), static_cast<uint64_t>(in[0].at(0)));
      const auto pair = static_cast<size_t>(i % 4 / 2 * 2);
      return double{normal_from_bits(words[pair], words[pair + 1])[static_cast<size_t>(i % 2)]};
    });
  };
}
const Array counter = Array::scalar<int64_t>(7);

const AddCases cases({{"random_uniform",
                       "cube",
                       {counter},
                       {{"shape", Ints{3, 2, 3}}, {"seed", int64_t{5}}},
                       uniform(5, 18)},
                      {"random_uniform",
                       "one",
                       {counter},
                       {{"shape", Ints{}}, {"seed", int64_t{-1}}},
                       uniform(~uint64_t{0}, 1)},
                      {"random_uniform",
                       "none",
                       {counter},
                       {{"shape", Ints{0}}, {"seed", int64_t{5}}},
                       uniform(5, 0)},
                      {"random_normal",
                       "matrix",
                       {counter},
                       {{"shape", Ints{3, 7}}, {"seed", int64_t{5}}},
                       normal(5, 21)}},
                     {{"random_uniform",
                       "counter",
                       {{DType::float32, {}}},
                       {{"shape", Ints{3}}, {"seed", int64_t{5}}},
                       "int64"},
                      {"random_normal",
                       "counters",
                       {{DType::int64, {2}}},
                       {{"shape", Ints{3}}, {"seed", int64_t{5}}},
                       "scalar"}});

}  // namespace
}  // namespace stoker::testing
