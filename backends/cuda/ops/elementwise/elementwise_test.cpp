#include "core/elementwise/elementwise_ops.h"
#include "ops/node_testing.h"

namespace stoker::cuda {
namespace {

constexpr DType every_dtype[] = {DType::float32,  DType::float64, DType::float16,
                                 DType::bfloat16, DType::int8,    DType::int32,
                                 DType::int64,    DType::uint8,   DType::boolean};

std::vector<TensorType> of(DType dtype, std::initializer_list<Shape> shapes) {
  std::vector<TensorType> types;
  for (const Shape& shape : shapes) types.push_back({dtype, shape});
  return types;
}

// Some ops of each kind of expression; functions have other names in float64.
std::vector<DType> dtypes_of(const ElementwiseOp& op) {
  std::vector<DType> dtypes;
  if (op.floats) dtypes = {DType::float32, DType::float64, DType::bfloat16};
  if (op.integers) dtypes.insert(dtypes.end(), {DType::int8, DType::uint8, DType::int64});
  if (op.bools) dtypes.push_back(DType::boolean);
  return dtypes;
}

[[maybe_unused]] const bool added = [] {
  const Shape large{64, 1000}, row{1000};
  for (const ElementwiseOp& op : elementwise_table)
    for (DType dtype : dtypes_of(op)) {
      const DType out = op.gives == ElementwiseOp::Gives::boolean ? DType::boolean : dtype;
      const std::vector<TensorType> in(static_cast<size_t>(op.arity), {dtype, row});
      AddCompileCase(std::string(name_of(dtype)), {op.name, in, of(out, {row})});
    }
  AddCompileCase("float32", {"copy", of(DType::float32, {row}), of(DType::float32, {row})});
  for (DType from : every_dtype)
    for (DType to : every_dtype)
      AddCompileCase(fmt::format("{} to {}", name_of(from), name_of(to)),
                     {"cast", of(from, {large}), of(to, {large})});
  for (const Shape& other : {Shape{1000}, Shape{64, 1}, Shape{}, Shape{1}, large})
    AddCompileCase("spread " + to_string(other),
                   {"add", of(DType::float32, {large, other}), of(DType::float32, {large})});
  AddCompileCase("middle", {"add", of(DType::bfloat16, {{40, 50, 60}, {50, 1}}),
                            of(DType::bfloat16, {{40, 50, 60}})});
  AddCompileCase(
      "ragged", {"add", of(DType::float32, {{400, 333}, {333}}), of(DType::float32, {{400, 333}})});
  AddCompileCase("nothing",
                 {"add", of(DType::float32, {{0, 3}, {3}}), of(DType::float32, {{0, 3}})});
  AddCompileCase("float16",
                 {"select",
                  {{DType::boolean, large}, {DType::float16, large}, {DType::float16, {}}},
                  of(DType::float16, {large})});
  AddCompileCase(
      "scalars",
      {"fused_elementwise",
       {{DType::int64, {}}, {DType::float32, {}}, {DType::bfloat16, {}}},
       {{DType::float32, {}}, {DType::int64, {}}, {DType::bfloat16, {}}}},
      "program",
      std::string("cast:float32 0;power:float32 1 3;add:int64 0 0;multiply:bfloat16 2 2"),
      "results", std::vector<int64_t>{4, 5, 6}, "shape", std::vector<int64_t>{});
  return true;
}();

}  // namespace
}  // namespace stoker::cuda
