#include <algorithm>

#include "core/round_up.h"
#include "ops/layout_text.h"
#include "ops/reduce/reduce_text.h"
#include "ops/support.h"

// Sums and extremes over any axes. If the innermost axes are reduced, a few threads share an output
// ("rows"), else each thread has its own columns. Large reductions are split over blocks: each
// writes its part to the workspace, and the block that finishes last joins the parts, always in the
// same order.
namespace stoker::cuda {
namespace {

// Blocks per output (or tile of outputs) that fill the GPU, each with enough work.
int64_t parts_for(int64_t groups, int64_t work, int64_t least_work) {
  const int64_t wanted = 2 * current_gpu().multiprocessors / std::max<int64_t>(groups, 1);
  const int64_t parts = std::clamp<int64_t>(std::min(wanted, work / least_work), 1, 1024);
  return groups <= most_split_groups ? parts : 1;
}

int64_t lanes_for(int64_t outputs, int64_t loads) {
  int64_t lanes = 1;
  while (lanes < 32 && 4 * lanes < loads) lanes *= 2;
  const bool few = outputs < 16 * current_gpu().multiprocessors;
  return few && loads > 4 * 32 ? reduce_threads : lanes;
}

struct Reduction {
  std::shared_ptr<Function> function;
  int64_t groups, parts, outputs, length, align_bytes;
};

std::unique_ptr<Kernel> make(const Reduction& r, int64_t workspace) {
  return make_kernel(
      {r.function},
      [r](Encoder& encoder, void* const* a, void* scratch) {
        const LaunchShape shape{.blocks = static_cast<unsigned int>(r.groups),
                                .threads = static_cast<unsigned int>(reduce_threads),
                                .blocks_y = static_cast<unsigned int>(r.parts)};
        encoder.launch(*r.function, shape, a[0], a[1], scratch, r.outputs, r.length,
                       static_cast<int>(is_aligned(a[0], r.align_bytes)));
      },
      static_cast<uint64_t>(r.parts > 1 ? workspace : 0));
}

std::unique_ptr<Kernel> plan_rows(const ReduceAxes& axes, const ReduceKind& kind) {
  const int64_t outputs = axes.kept_count(), length = axes.reduced_count();
  const int64_t width = axes.reads_whole(kind.vector_width()) ? kind.vector_width() : 1;
  const int64_t lanes = lanes_for(outputs, length / width), per_block = reduce_threads / lanes;
  const int64_t groups = ceil_div(outputs, per_block);
  const int64_t parts = per_block == 1 ? parts_for(groups, length / width, 4 * reduce_threads) : 1;
  return make({make_function(rows_text(axes, kind, width, lanes, parts > 1), "reduce"), groups,
               parts, outputs, length, width * kind.bytes()},
              outputs * parts * kind.accumulator_bytes());
}

std::unique_ptr<Kernel> plan_columns(const ReduceAxes& axes, const ReduceKind& kind) {
  const int64_t outputs = axes.kept_count(), length = axes.reduced_count();
  const int64_t width = axes.reads_whole(kind.vector_width()) ? kind.vector_width() : 1;
  const int64_t lanes = std::min<int64_t>(axes.inner / width, 32), tile = lanes * width;
  const int64_t groups = outputs * ceil_div(axes.inner, tile);
  const int64_t parts = parts_for(groups, length, 8 * (reduce_threads / lanes));
  return make({make_function(columns_text(axes, kind, width, lanes, parts > 1), "reduce"), groups,
               parts, outputs, length, width * kind.bytes()},
              groups * parts * tile * kind.accumulator_bytes());
}

std::unique_ptr<Kernel> plan_reduce(const NodeView& node, std::string& refusal) {
  if (refuse_unless(node.in[0].dtype != DType::boolean, refusal, "does not compute in",
                    node.in[0].dtype))
    return nullptr;
  if (node.out[0].shape.size() == 0) return do_nothing();
  const ReduceAxes axes = reduce_axes(node.in[0].shape, node.integers("axis"));
  const ReduceKind kind{node.op, node.in[0].dtype};
  return axes.inner > 1 ? plan_columns(axes, kind) : plan_rows(axes, kind);
}

const RegisterKernel sum{"reduce_sum", "blocks", optimised, plan_reduce};
const RegisterKernel max{"reduce_max", "blocks", optimised, plan_reduce};
const RegisterKernel min{"reduce_min", "blocks", optimised, plan_reduce};

}  // namespace
}  // namespace stoker::cuda
