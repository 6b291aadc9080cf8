#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "ops/support.h"

// Rows are sorted in parallel. Positions are part of the key: so the sort is stable without a
// stable sort's extra memory.
namespace stoker::cpu {
namespace {

template <class T>
bool is_nan(T x) {
  if constexpr (std::is_floating_point_v<T>) return std::isnan(x);
  return false;
}
template <class T>
bool is_less(T a, T b) {
  return a < b || (is_nan(b) && !is_nan(a));
}

template <class T>
void sort_positions(const T* x, int64_t length, bool descending, int32_t* positions) {
  std::iota(positions, positions + length, 0);
  std::sort(positions, positions + length, [=](int32_t a, int32_t b) {
    const T first = x[descending ? b : a], second = x[descending ? a : b];
    return is_less(first, second) || (a < b && !is_less(second, first));
  });
}

// Unsigned numbers in the same order.
uint32_t key_of(int32_t x) { return static_cast<uint32_t>(x) ^ 0x80000000u; }
uint32_t key_of(float x) {
  if (std::isnan(x)) return std::numeric_limits<uint32_t>::max();
  const auto bits = std::bit_cast<uint32_t>(x + 0.0f);  // -0 is 0
  return bits >> 31 ? ~bits : bits | 0x80000000u;
}

// Key and position packed into one number, which is much cheaper to compare.
template <class T>
void sort_keys(const T* x, int64_t length, bool descending, int32_t* positions, uint64_t* keys) {
  for (int64_t i = 0; i < length; ++i) {
    const uint32_t key = descending ? ~key_of(x[i]) : key_of(x[i]);
    keys[i] = static_cast<uint64_t>(key) << 32 | static_cast<uint64_t>(i);
  }
  std::sort(keys, keys + length);
  for (int64_t i = 0; i < length; ++i)
    positions[i] = static_cast<int32_t>(keys[i] & std::numeric_limits<uint32_t>::max());
}

// sort_row(x, positions, keys) for each row; keys are its part of the workspace.
template <class T, class F>
std::unique_ptr<Kernel> over_rows(const NodeView& node, uint64_t workspace, F sort_row) {
  const int64_t length = node.in[0].shape.back(), rows = rows_of(node.in[0].shape);
  return make_kernel(
      [=](void* const* p, void* scratch) {
        const auto work = length * std::bit_width(static_cast<uint64_t>(length));
        parallel_for(rows, grain_for(work), [&](int64_t begin, int64_t end) {
          for (int64_t at = begin * length; at < end * length; at += length) {
            const T* x = static_cast<const T*>(p[0]) + at;
            T* values = static_cast<T*>(p[1]) + at;
            int32_t* positions = static_cast<int32_t*>(p[2]) + at;
            sort_row(x, positions, static_cast<uint64_t*>(scratch) + at);
            for (int64_t i = 0; i < length; ++i) values[i] = x[positions[i]];
          }
        });
      },
      workspace);
}

std::unique_ptr<Kernel> plan(const NodeView& node, std::string& refusal) {
  const int64_t length = node.in[0].shape.back();
  const bool descending = node.flag("descending");
  const DType given = node.in[0].dtype, kind = given == DType::boolean ? DType::uint8 : given;
  return for_numbers(kind, refusal, [&](auto zero) {
    using T = decltype(zero);
    return over_rows<T>(node, 0, [=](const T* x, int32_t* positions, uint64_t*) {
      sort_positions(x, length, descending, positions);
    });
  });
}

template <class T>
std::unique_ptr<Kernel> plan_keys(const NodeView& node) {
  const int64_t length = node.in[0].shape.back();
  const bool descending = node.flag("descending");
  const uint64_t workspace = static_cast<uint64_t>(node.in[0].shape.size()) * sizeof(uint64_t);
  return over_rows<T>(node, workspace, [=](const T* x, int32_t* positions, uint64_t* keys) {
    sort_keys(x, length, descending, positions, keys);
  });
}
std::unique_ptr<Kernel> plan_by_keys(const NodeView& node, std::string& refusal) {
  if (node.in[0].dtype == DType::float32) return plan_keys<float>(node);
  if (node.in[0].dtype == DType::int32) return plan_keys<int32_t>(node);
  refusal = "supports float32 and int32 only";
  return nullptr;
}

const RegisterKernel plain{"sort", "plain", reference, plan};
const RegisterKernel keys{"sort", "keys", optimised, plan_by_keys};

}  // namespace
}  // namespace stoker::cpu
