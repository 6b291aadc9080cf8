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

[[maybe_unused]] const bool added = [] {
  const Shape large{64, 1000}, row{1000};
  for (DType dtype : {DType::float32, DType::float64, DType::float16, DType::bfloat16})
    for (const char* op :
         {"negative", "exp", "log", "log1p", "expm1", "sqrt", "rsqrt", "square", "reciprocal",
          "abs", "sign", "floor", "sin", "cos", "tanh", "sigmoid", "erf", "relu", "copy"})
      AddCompileCase(std::string(name_of(dtype)), {op, of(dtype, {row}), of(dtype, {row})});
  for (DType dtype : {DType::float32, DType::float16, DType::int8, DType::uint8, DType::int64})
    for (const char* op :
         {"add", "subtract", "multiply", "divide", "maximum", "minimum", "power", "relu_grad"})
      AddCompileCase(std::string(name_of(dtype)), {op, of(dtype, {row, row}), of(dtype, {row})});
  for (DType dtype : every_dtype)
    for (const char* op : {"equal", "not_equal", "greater", "greater_equal", "less", "less_equal"})
      AddCompileCase(std::string(name_of(dtype)),
                     {op, of(dtype, {row, {}}), of(DType::boolean, {row})});
  for (const char* op : {"logical_and", "logical_or", "add", "multiply", "maximum", "minimum"})
    AddCompileCase("bools", {op, of(DType::boolean, {row, row}), of(DType::boolean, {row})});
  AddCompileCase("bools", {"logical_not", of(DType::boolean, {row}), of(DType::boolean, {row})});
  AddCompileCase("float32", {"isfinite", of(DType::float32, {row}), of(DType::boolean, {row})});
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
