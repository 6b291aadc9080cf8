#include "ops/node_testing.h"

// Rows that share a block, fill one, and are merged from several.
namespace stoker::cuda {
namespace {

[[maybe_unused]] const bool added = [] {
  const auto add = [](DType dtype, int64_t length, int64_t descending) {
    const Shape shape{3, length};
    AddCompileCase(fmt::format("{} {} {}", name_of(dtype), length, descending),
                   {"sort", {{dtype, shape}}, {{dtype, shape}, {DType::int32, shape}}},
                   "descending", descending);
  };
  for (DType dtype : {DType::float32, DType::float64, DType::float16, DType::bfloat16, DType::int8,
                      DType::uint8, DType::int32, DType::int64, DType::boolean})
    add(dtype, 10, 0);
  for (DType dtype : {DType::float32, DType::float64}) {
    add(dtype, 1, 1);
    add(dtype, 2000, 0);
    add(dtype, 200'000, 1);
  }
  return true;
}();

}  // namespace
}  // namespace stoker::cuda
