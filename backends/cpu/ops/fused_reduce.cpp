#include "core/round_up.h"
#include "kernels/adam.h"
#include "ops/fused_rows.h"
#include "ops/support.h"

// Sums of float32 over all leading or all trailing axes: a bias gradient, a loss.
namespace stoker::cpu {
namespace {

constexpr int64_t piece = 65536;  // elements of one long row per thread

std::vector<bool> reduced_axes(const Shape& shape, const std::vector<int64_t>& axis) {
  std::vector<bool> reduced(static_cast<size_t>(shape.rank()), axis.empty());
  for (int64_t a : axis) reduced[static_cast<size_t>(normalize_axis(a, shape.rank()))] = true;
  return reduced;
}

// The number of leading reduced (or kept) axes, if all others are kept (or reduced).
int split(const std::vector<bool>& reduced, bool leading) {
  int at = 0;
  const int rank = static_cast<int>(reduced.size());
  while (at < rank && reduced[static_cast<size_t>(at)] == leading) ++at;
  for (int i = at; i < rank; ++i)
    if (reduced[static_cast<size_t>(i)] == leading) return -1;
  return at;
}

void sum_rows(const float* x, int64_t rows, int64_t n, float* out) {
  parallel_for(rows, grain_for(n), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) out[r] = static_cast<float>(row_sum(x + r * n, n));
  });
}

// Partial sums are stored in the workspace and joined in order, independent of threads.
void sum_all(const float* x, int64_t n, float* out, double* partial) {
  const int64_t pieces = ceil_div(n, piece);
  parallel_for(pieces, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      partial[i] = row_sum(x + i * piece, std::min(piece, n - i * piece));
  });
  double total = 0;
  for (int64_t i = 0; i < pieces; ++i) total += partial[i];
  *out = static_cast<float>(total);
}

std::unique_ptr<Kernel> plan_trailing(int64_t rows, int64_t n) {
  if (rows == 1 && n > piece)
    return make_kernel(
        [n](void* const* p, void* workspace) {
          sum_all(static_cast<const float*>(p[0]), n, static_cast<float*>(p[1]),
                  static_cast<double*>(workspace));
        },
        static_cast<uint64_t>(ceil_div(n, piece)) * sizeof(double));
  return make_kernel([rows, n](void* const* p, void*) {
    sum_rows(static_cast<const float*>(p[0]), rows, n, static_cast<float*>(p[1]));
  });
}

std::unique_ptr<Kernel> plan(const NodeView& node, std::string& refusal) {
  const Shape& shape = node.in[0].shape;
  const auto reduced = reduced_axes(shape, node.integers("axis"));
  if (!node.all_are(DType::float32) || shape.size() == 0) {
    refusal = "sums float32";
    return nullptr;
  }
  if (const int at = split(reduced, false); at >= 0)
    return plan_trailing(product(shape, 0, at), product(shape, at, shape.rank()));
  const int at = split(reduced, true);
  if (at < 0) {
    refusal = "needs leading or trailing axes";
    return nullptr;
  }
  const int64_t rows = product(shape, 0, at), columns = product(shape, at, shape.rank());
  return make_kernel([rows, columns](void* const* p, void*) {
    column_sums(rows, columns, static_cast<const float*>(p[0]), columns, false,
                static_cast<float*>(p[1]));
  });
}

const RegisterKernel sum{"reduce_sum", "simd", optimised, plan};

}  // namespace
}  // namespace stoker::cpu
