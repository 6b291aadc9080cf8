#include <cmath>
#include <cstring>
#include <utility>

#include "kernels/adam.h"
#include "ops/support.h"

// Threads share a table's rows; each row adds its values in order, so that sums do not depend on
// the number of threads.
namespace stoker::cpu {
namespace {

// The indices of the values, grouped by row: row r's are from ends[r - 1] to ends[r].
struct ValuesByRow {
  int32_t *ends, *places;

  static uint64_t bytes(int64_t rows, int64_t count) {
    return static_cast<uint64_t>(rows + count) * sizeof(int32_t);
  }
  int32_t begin(int64_t row) const { return row == 0 ? 0 : ends[row - 1]; }
};

// Indices out of range belong to no row.
template <class I>
ValuesByRow sort_by_row(const I* indices, int64_t count, int64_t rows, void* workspace) {
  ValuesByRow found{static_cast<int32_t*>(workspace), static_cast<int32_t*>(workspace) + rows};
  const auto row_of = [&](int64_t i) {
    const auto at = static_cast<int64_t>(indices[i]);
    return at >= 0 && at < rows ? at : -1;
  };
  std::fill_n(found.ends, rows, 0);
  for (int64_t i = 0; i < count; ++i)
    if (const int64_t row = row_of(i); row >= 0) ++found.ends[row];
  int32_t begin = 0;
  for (int64_t row = 0; row < rows; ++row) begin += std::exchange(found.ends[row], begin);
  for (int64_t i = 0; i < count; ++i)
    if (const int64_t row = row_of(i); row >= 0)
      found.places[found.ends[row]++] = static_cast<int32_t>(i);
  return found;
}

// The sums of some rows, contiguous.
template <class T>
void add_up(const ValuesByRow& of, const T* values, int64_t begin, int64_t end, int64_t width,
            T* sums) {
  std::fill_n(sums, (end - begin) * width, T{0});
  for (int64_t row = begin; row < end; ++row, sums += width)
    for (int32_t at = of.begin(row); at < of.ends[row]; ++at) {
      const T* value = values + of.places[at] * width;
      for (int64_t j = 0; j < width; ++j) sums[j] += value[j];
    }
}

struct Problem {
  int64_t rows, width, count;
};
Problem problem_of(const Shape& table, const Shape& indices) {
  return {table[0], product(table, 1, table.rank()), indices.size()};
}

template <class F>
std::unique_ptr<Kernel> for_table(const NodeView& node, DType index, const Problem& p,
                                  std::string& refusal, F&& make) {
  if (p.count >= int64_t{1} << 31) {
    refusal = "supports fewer than 2^31 values";
    return nullptr;
  }
  return for_indices(index, refusal, [&](auto index_zero) {
    return for_floats(node.in[0].dtype, refusal, [&](auto zero) { return make(zero, index_zero); });
  });
}

std::unique_ptr<Kernel> plan_subtract(const NodeView& node, std::string& refusal) {
  const Problem p = problem_of(node.in[0].shape, node.in[2].shape);
  return for_table(node, node.in[2].dtype, p, refusal, [&](auto zero, auto index) {
    using T = decltype(zero);
    using I = decltype(index);
    const auto run = [p](void* const* a, void* workspace) {
      const T* values = static_cast<const T*>(a[1]);
      T* table = static_cast<T*>(a[3]);
      if (a[0] != a[3]) std::memcpy(a[3], a[0], static_cast<size_t>(p.rows * p.width) * sizeof(T));
      const ValuesByRow by_row =
          sort_by_row(static_cast<const I*>(a[2]), p.count, p.rows, workspace);
      parallel_for(p.rows, grain_for(1 + p.count * p.width / std::max<int64_t>(1, p.rows)),
                   [&](int64_t begin, int64_t end) {
                     std::vector<T> sums(static_cast<size_t>(p.width));
                     for (int64_t row = begin; row < end; ++row) {
                       if (by_row.begin(row) == by_row.ends[row]) continue;
                       add_up(by_row, values, row, row + 1, p.width, sums.data());
                       for (int64_t j = 0; j < p.width; ++j)
                         table[row * p.width + j] -= sums[static_cast<size_t>(j)];
                     }
                   });
    };
    return make_kernel(run, ValuesByRow::bytes(p.rows, p.count));
  });
}

// Keras's formula as in adam_update: rows without values are updated, too.
std::unique_ptr<Kernel> plan_adam(const NodeView& node, std::string& refusal) {
  const Problem p = problem_of(node.in[0].shape, node.in[5].shape);
  const double beta_1 = node.number("beta_1"), beta_2 = node.number("beta_2"),
               epsilon = node.number("epsilon");
  return for_table(node, node.in[5].dtype, p, refusal, [&](auto zero, auto index) {
    using T = decltype(zero);
    using I = decltype(index);
    const auto run = [=](void* const* a, void* workspace) {
      const T *weight = static_cast<const T*>(a[0]), *m = static_cast<const T*>(a[1]),
              *v = static_cast<const T*>(a[2]), *values = static_cast<const T*>(a[3]);
      const T step_size = *static_cast<const T*>(a[4]), take_m = static_cast<T>(1 - beta_1),
              take_v = static_cast<T>(1 - beta_2), small = static_cast<T>(epsilon);
      T *new_weight = static_cast<T*>(a[6]), *new_m = static_cast<T*>(a[7]),
        *new_v = static_cast<T*>(a[8]);
      const ValuesByRow by_row =
          sort_by_row(static_cast<const I*>(a[5]), p.count, p.rows, workspace);
      parallel_for(p.rows, grain_for(4 * p.width), [&](int64_t begin, int64_t end) {
        std::vector<T> sums(static_cast<size_t>(p.width));
        for (int64_t i = begin * p.width, row = begin; row < end; ++row) {
          add_up(by_row, values, row, row + 1, p.width, sums.data());
          for (const T g : sums) {
            new_m[i] = m[i] + (g - m[i]) * take_m;
            new_v[i] = v[i] + (g * g - v[i]) * take_v;
            new_weight[i] = weight[i] - new_m[i] * step_size / (std::sqrt(new_v[i]) + small);
            ++i;
          }
        }
      });
    };
    return make_kernel(run, ValuesByRow::bytes(p.rows, p.count));
  });
}

// Processes the sums of some rows at a time, as many as fit into L1.
std::unique_ptr<Kernel> plan_simd(const NodeView& node, std::string& refusal) {
  const Problem p = problem_of(node.in[0].shape, node.in[5].shape);
  if (node.in[0].dtype != DType::float32 || p.count >= int64_t{1} << 31) {
    refusal = "supports float32 and fewer than 2^31 values";
    return nullptr;
  }
  AdamStep step;
  step.beta_1 = node.number("beta_1");
  step.beta_2 = node.number("beta_2");
  step.epsilon = node.number("epsilon");
  return for_indices(node.in[5].dtype, refusal, [&](auto index) {
    using I = decltype(index);
    const auto run = [=](void* const* a, void* workspace) {
      for (size_t i = 0; i < 3; ++i)
        if (a[i] != a[6 + i])
          std::memcpy(a[6 + i], a[i], static_cast<size_t>(p.rows * p.width) * sizeof(float));
      const ValuesByRow by_row =
          sort_by_row(static_cast<const I*>(a[5]), p.count, p.rows, workspace);
      const int64_t together = std::max<int64_t>(1, 4096 / std::max<int64_t>(1, p.width));
      parallel_for(
          p.rows, std::max(together, grain_for(4 * p.width)), [&](int64_t begin, int64_t end) {
            std::vector<float> sums(static_cast<size_t>(together * p.width));
            for (int64_t row = begin; row < end; row += together) {
              const int64_t last = std::min(end, row + together), at = row * p.width;
              add_up(by_row, static_cast<const float*>(a[3]), row, last, p.width, sums.data());
              AdamStep here = step;
              here.w = static_cast<float*>(a[6]) + at;
              here.m = static_cast<float*>(a[7]) + at;
              here.v = static_cast<float*>(a[8]) + at;
              here.alpha = static_cast<const float*>(a[4]);
              adam_update((last - row) * p.width, here, sums.data());
            }
          });
    };
    return make_kernel(run, ValuesByRow::bytes(p.rows, p.count));
  });
}

const RegisterKernel simd{"adam_update_rows", "simd", optimised, plan_simd};
const RegisterKernel subtract{"subtract_rows", "sorted", reference, plan_subtract};
const RegisterKernel adam{"adam_update_rows", "sorted", reference, plan_adam};

}  // namespace
}  // namespace stoker::cpu
