#include <algorithm>

#include "core/round_up.h"
#include "ops/layout_text.h"
#include "ops/support.h"

// One launch for up to `most_entries` weights.
namespace stoker::cuda {
namespace {

constexpr int64_t per_block = 1024, tile_columns = 32, most_entries = 40;

// Matches the kernel file. A weight has `tiles` times `parts` blocks, from `first_block` on.
struct Entry {
  void *weight, *m, *v, *gradient, *new_weight, *new_m, *new_v;
  int64_t size, rows;
  int32_t first_block, parts, first_group, whole;
};
struct Table {
  Entry at[most_entries];
};

constexpr int64_t most_parts = 32;

struct Weight {
  int64_t size, rows, parts, tiles, first_group;
};

// Rows are shared by several blocks if one block would take too long.
std::vector<Weight> weights_of(const NodeView& node) {
  std::vector<Weight> weights;
  int64_t groups = 0;
  for (size_t w = 0; w + 1 < node.in.size(); w += 4) {
    const int64_t size = node.in[w].shape.size(), rows = node.in[w + 3].shape.size() / size;
    if (rows == 1) {
      weights.push_back({size, 1, 1, ceil_div(size, per_block), 0});
      continue;
    }
    const int64_t tiles = ceil_div(size, tile_columns);
    const bool splits = groups + tiles <= most_split_groups;
    weights.push_back({size, rows, splits ? std::clamp<int64_t>(rows / 128, 1, most_parts) : 1,
                       tiles, splits ? groups : 0});
    if (splits) groups += tiles;
  }
  return weights;
}

class AdamKernel : public Kernel {
 public:
  AdamKernel(const NodeView& node, std::shared_ptr<Function> function, int64_t width)
      : function_(std::move(function)),
        weights_(weights_of(node)),
        align_bytes_(width * static_cast<int64_t>(size_of(node.in[0].dtype))) {
    functions = {function_};
    int64_t groups = 0;
    for (const Weight& w : weights_)
      if (w.parts > 1) groups = std::max(groups, w.first_group + w.tiles);
    const int64_t value_bytes = node.in[0].dtype == DType::float64 ? 8 : 4;
    workspace = static_cast<uint64_t>(groups * most_parts * tile_columns * value_bytes);
  }

  void encode(Encoder& encoder, void* const* arguments, void* scratch) override {
    for (size_t first = 0; first < weights_.size(); first += most_entries)
      encode_some(encoder, arguments, scratch, first);
  }

 private:
  void encode_some(Encoder& encoder, void* const* a, void* scratch, size_t first) const {
    const size_t count = std::min<size_t>(most_entries, weights_.size() - first);
    void* const* out = a + 4 * weights_.size() + 1;
    Table table{};
    int64_t blocks = 0;
    for (size_t i = 0; i < count; ++i) {
      const Weight& w = weights_[first + i];
      void *const *in = a + 4 * (first + i), *const *to = out + 3 * (first + i);
      Entry& e = table.at[i];
      e = {in[0],
           in[1],
           in[2],
           in[3],
           to[0],
           to[1],
           to[2],
           w.size,
           w.rows,
           static_cast<int32_t>(blocks),
           static_cast<int32_t>(w.parts),
           static_cast<int32_t>(w.first_group),
           1};
      for (const void* p : {in[0], in[1], in[2], in[3], to[0], to[1], to[2]})
        if (!is_aligned(p, align_bytes_)) e.whole = 0;
      blocks += w.tiles * w.parts;
    }
    encoder.launch(*function_, {.blocks = static_cast<unsigned int>(blocks)}, table,
                   static_cast<int>(count), a[4 * weights_.size()], scratch);
  }

  std::shared_ptr<Function> function_;
  std::vector<Weight> weights_;
  int64_t align_bytes_;
};

std::unique_ptr<Kernel> plan(const NodeView& node, std::string& refusal) {
  const DType dtype = node.in[0].dtype;
  if (refuse_non_floats(dtype, refusal)) return nullptr;
  if (node.in.size() % 4 != 1) {
    refusal = fmt::format("takes 4 tensors per weight and a step size, not {}", node.in.size());
    return nullptr;
  }
  if (node.in[0].shape.size() == 0) return do_nothing();
  const int64_t width = std::min<int64_t>(4, 16 / static_cast<int64_t>(size_of(dtype)));
  auto function = make_function(KernelSource("optimizer/adam_update.cuh")
                                    .type("element_t", dtype)
                                    .constant("width", width)
                                    .constant("most_parts", most_parts)
                                    .constant("TAKE_M", 1 - node.number("beta_1"))
                                    .constant("TAKE_V", 1 - node.number("beta_2"))
                                    .constant("EPSILON", node.number("epsilon")),
                                "adam_update");
  return std::make_unique<AdamKernel>(node, std::move(function), width);
}

const RegisterKernel one{"adam_update", "table", optimised, plan};
const RegisterKernel many{"adam_update_many", "table", optimised, plan};

}  // namespace
}  // namespace stoker::cuda
