#include <algorithm>

#include "core/elementwise/elementwise_ops.h"
#include "ops/elementwise/elementwise_functions.h"
#include "ops/elementwise/elementwise_scalar.h"

// Every instruction in every dtype as a plain loop.
namespace stoker::cpu {
namespace {

enum class Kind { floats, integers, bools };  // a bool is a byte of 0 or 1

template <Kind kind, class Op, class T>
auto compute(T a, T b) {
  if constexpr (kind == Kind::floats)
    return Op::floats(a, b);
  else if constexpr (kind == Kind::integers)
    return Op::integers(a, b);
  else
    return Op::bools(a, b);
}
template <Kind kind, class Op, class T>
using Computed = decltype(compute<kind, Op>(T{}, T{}));
// The storage type.
template <Kind kind, class Op, class T>
using Result = std::conditional_t<std::is_same_v<Computed<kind, Op, T>, bool>, uint8_t, T>;

template <Kind kind, class Op, class T>
void unary(const void* a, const void*, const void*, void* out, int64_t n) {
  const T* x = static_cast<const T*>(a);
  auto* y = static_cast<Result<kind, Op, T>*>(out);
  for (int64_t i = 0; i < n; ++i) y[i] = compute<kind, Op>(x[i], x[i]);
}

template <Kind kind, class Op, class T>
void binary(const void* a, const void* b, const void*, void* out, int64_t n) {
  const T *x = static_cast<const T*>(a), *z = static_cast<const T*>(b);
  auto* y = static_cast<Result<kind, Op, T>*>(out);
  for (int64_t i = 0; i < n; ++i) y[i] = compute<kind, Op>(x[i], z[i]);
}

template <class T>
void copy(const void* a, const void*, const void*, void* out, int64_t n) {
  std::copy_n(static_cast<const T*>(a), n, static_cast<T*>(out));
}

template <class T>
void select(const void* condition, const void* a, const void* b, void* out, int64_t n) {
  const auto* c = static_cast<const uint8_t*>(condition);
  const T *x = static_cast<const T*>(a), *z = static_cast<const T*>(b);
  T* y = static_cast<T*>(out);
  for (int64_t i = 0; i < n; ++i) y[i] = c[i] ? x[i] : z[i];
}

template <ElementwiseOp::Arity arity, Kind kind, class Op, class T>
constexpr TileFunction tile_function() {
  if constexpr (std::is_same_v<Computed<kind, Op, T>, scalar::Nothing>)
    return nullptr;
  else if constexpr (arity == ElementwiseOp::unary)
    return unary<kind, Op, T>;
  else
    return binary<kind, Op, T>;
}

template <Kind kind, class T>
TileFunction find_computing(std::string_view op) {
  struct Entry {
    std::string_view op;
    TileFunction function;
  };
  static constexpr Entry entries[] = {
#define ELEMENTWISE_OP(name, arity, ...) \
  {#name, tile_function<ElementwiseOp::arity, kind, scalar::name##_op, T>()},
#include "core/elementwise/elementwise_ops.def"
  };
  const auto* found = std::ranges::find(entries, op, &Entry::op);
  return found == std::end(entries) ? nullptr : found->function;
}

template <class T>
TileFunction find_moving(std::string_view op) {
  if (op == "copy" || op == "broadcast_to") return copy<T>;
  return op == "select" ? select<T> : nullptr;
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
      return find_computing<Kind::floats, float>(op);
    case DType::float64:
      return find_computing<Kind::floats, double>(op);
    case DType::int8:
      return find_computing<Kind::integers, int8_t>(op);
    case DType::uint8:
      return find_computing<Kind::integers, uint8_t>(op);
    case DType::int32:
      return find_computing<Kind::integers, int32_t>(op);
    case DType::int64:
      return find_computing<Kind::integers, int64_t>(op);
    case DType::boolean:
      return find_computing<Kind::bools, uint8_t>(op);
    default:
      return nullptr;  // 16-bit floats are storage types; a program casts them first
  }
}

}  // namespace stoker::cpu
