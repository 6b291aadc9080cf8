#pragma once
#include <vector>

#include "core/philox.h"
#include "stoker/array.h"

// Seeded inputs for tests.
namespace stoker::testing {

// float64 values in [low, high) that are exact in float32, so that both types compute from equal
// inputs.
inline Array random_values(const Shape& shape, uint64_t seed, double low = -1, double high = 1) {
  std::vector<double> values(static_cast<size_t>(shape.size()));
  const Philox random{seed};
  for (size_t i = 0; i < values.size(); ++i) {
    const double unit = uniform_from_bits(random(i)[0]);
    values[i] = static_cast<float>(low + (high - low) * unit);
  }
  return Array::from(values, shape);
}

inline Array random_indices(const Shape& shape, uint64_t seed, int64_t below,
                            DType dtype = DType::int64) {
  std::vector<int64_t> values(static_cast<size_t>(shape.size()));
  const Philox random{seed};
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<int64_t>(random(i)[0] % static_cast<uint64_t>(below));
  return Array::from(values, shape).astype(dtype);
}

inline Array random_flags(const Shape& shape, uint64_t seed) {
  return random_indices(shape, seed, 2).astype(DType::boolean);
}

}  // namespace stoker::testing
