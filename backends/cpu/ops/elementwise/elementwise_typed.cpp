#include <span>

#include "ops/elementwise/elementwise_functions.h"
#include "ops/elementwise/elementwise_scalar.h"

// Every instruction in every dtype as a plain loop.
namespace stoker::cpu {
namespace {

template <class T, class F>
void unary(const void* a, const void*, const void*, void* out, int64_t n) {
  const T* x = static_cast<const T*>(a);
  auto* y = static_cast<decltype(F()(T{}))*>(out);
  for (int64_t i = 0; i < n; ++i) y[i] = F()(x[i]);
}

template <class T, class F>
void binary(const void* a, const void* b, const void*, void* out, int64_t n) {
  const T *x = static_cast<const T*>(a), *z = static_cast<const T*>(b);
  auto* y = static_cast<decltype(F()(T{}, T{}))*>(out);
  for (int64_t i = 0; i < n; ++i) y[i] = F()(x[i], z[i]);
}

template <class T>
void select(const void* condition, const void* a, const void* b, void* out, int64_t n) {
  const auto* c = static_cast<const uint8_t*>(condition);
  const T *x = static_cast<const T*>(a), *z = static_cast<const T*>(b);
  T* y = static_cast<T*>(out);
  for (int64_t i = 0; i < n; ++i) y[i] = c[i] ? x[i] : z[i];
}

struct Same {
  template <class T>
  T operator()(T a) const {
    return a;
  }
};

struct Entry {
  std::string_view op;
  TileFunction function;
};

TileFunction find(std::span<const Entry> entries, std::string_view op) {
  for (const Entry& entry : entries)
    if (entry.op == op) return entry.function;
  return nullptr;
}

template <class T>
TileFunction find_moving(std::string_view op) {
  if (op == "copy" || op == "broadcast_to") return unary<T, Same>;
  return op == "select" ? select<T> : nullptr;
}

template <class T>
TileFunction find_compare(std::string_view op) {
  static constexpr Entry entries[] = {
      {"equal", binary<T, scalar::Equal>},     {"not_equal", binary<T, scalar::NotEqual>},
      {"greater", binary<T, scalar::Greater>}, {"greater_equal", binary<T, scalar::GreaterEqual>},
      {"less", binary<T, scalar::Less>},       {"less_equal", binary<T, scalar::LessEqual>},
  };
  return find(entries, op);
}

template <class T>
TileFunction find_arithmetic(std::string_view op) {
  static constexpr Entry entries[] = {
      {"add", binary<T, scalar::Add>},
      {"subtract", binary<T, scalar::Subtract>},
      {"multiply", binary<T, scalar::Multiply>},
      {"divide", binary<T, scalar::Divide>},
      {"maximum", binary<T, scalar::Maximum>},
      {"minimum", binary<T, scalar::Minimum>},
      {"power", binary<T, scalar::Power>},
      {"relu_grad", binary<T, scalar::ReluGrad>},
      {"negative", unary<T, scalar::Negative>},
      {"square", unary<T, scalar::Square>},
      {"abs", unary<T, scalar::Abs>},
      {"sign", unary<T, scalar::Sign>},
      {"relu", unary<T, scalar::Relu>},
  };
  return find(entries, op);
}

template <class T>
TileFunction find_smooth(std::string_view op) {
  static constexpr Entry entries[] = {
      {"exp", unary<T, scalar::Exp>},
      {"log", unary<T, scalar::Log>},
      {"log1p", unary<T, scalar::Log1p>},
      {"expm1", unary<T, scalar::Expm1>},
      {"sqrt", unary<T, scalar::Sqrt>},
      {"rsqrt", unary<T, scalar::Rsqrt>},
      {"reciprocal", unary<T, scalar::Reciprocal>},
      {"floor", unary<T, scalar::Floor>},
      {"sin", unary<T, scalar::Sin>},
      {"cos", unary<T, scalar::Cos>},
      {"tanh", unary<T, scalar::Tanh>},
      {"sigmoid", unary<T, scalar::Sigmoid>},
      {"erf", unary<T, scalar::Erf>},
      {"isfinite", unary<T, scalar::IsFinite>},
  };
  return find(entries, op);
}

// Sums and products of bools are "or" and "and", as in numpy.
TileFunction find_boolean(std::string_view op) {
  static constexpr Entry entries[] = {
      {"logical_and", binary<uint8_t, scalar::LogicalAnd>},
      {"logical_or", binary<uint8_t, scalar::LogicalOr>},
      {"logical_not", unary<uint8_t, scalar::LogicalNot>},
      {"multiply", binary<uint8_t, scalar::LogicalAnd>},
      {"minimum", binary<uint8_t, scalar::LogicalAnd>},
      {"add", binary<uint8_t, scalar::LogicalOr>},
      {"maximum", binary<uint8_t, scalar::LogicalOr>},
  };
  if (const TileFunction function = find(entries, op)) return function;
  return find_compare<uint8_t>(op);
}

template <class T>
TileFunction find_number(std::string_view op) {
  if (const TileFunction function = find_arithmetic<T>(op)) return function;
  if constexpr (std::is_floating_point_v<T>)
    if (const TileFunction function = find_smooth<T>(op)) return function;
  return find_compare<T>(op);
}

TileFunction find_moving(std::string_view op, DType dtype) {
  switch (size_of(dtype)) {
    case 1:
      return find_moving<uint8_t>(op);
    case 2:
      return find_moving<uint16_t>(op);
    case 4:
      return find_moving<uint32_t>(op);
    default:
      return find_moving<uint64_t>(op);
  }
}

}  // namespace

TileFunction find_typed_function(std::string_view op, DType in, DType out) {
  if (op == "cast") return find_cast_function(in, out);
  if (const TileFunction function = find_moving(op, in)) return function;
  switch (in) {
    case DType::float32:
      return find_number<float>(op);
    case DType::float64:
      return find_number<double>(op);
    case DType::int8:
      return find_number<int8_t>(op);
    case DType::uint8:
      return find_number<uint8_t>(op);
    case DType::int32:
      return find_number<int32_t>(op);
    case DType::int64:
      return find_number<int64_t>(op);
    case DType::boolean:
      return find_boolean(op);
    default:
      return nullptr;  // 16-bit floats are for storage; a program casts them first
  }
}

}  // namespace stoker::cpu
