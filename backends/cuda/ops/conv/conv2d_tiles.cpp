#include "ops/conv/conv2d_tiles.h"

#include "core/round_up.h"

namespace stoker::cuda {
namespace {

constexpr int most_channels = 8;             // with more, arithmetic is the limit
constexpr int most_taps = 80;                // weights of a filter, in registers
constexpr int strip_results = 512;           // pixels: enough to hide the latency of staging
constexpr int most_strip_bytes = 40 * 1024;  // several blocks share a multiprocessor

int strip_floats_for(const Conv2dProblem& p, int rows) {
  const int pitch =
      ((p.out_width / p.pool_w * p.pool_w - 1) * p.stride_w + p.kernel_w) * p.channels;
  return ((rows * p.pool_h - 1) * p.stride_h + (p.kernel_h - 1) * p.dilation_h + 1) * pitch;
}

// As many rows as a block can process efficiently, but few enough that there are blocks for all
// multiprocessors.
int rows_of_a_strip(const Conv2dTiles& tiles) {
  const Conv2dProblem& p = tiles.problem;
  int rows = std::clamp(strip_results / tiles.result_columns(), 1, tiles.result_rows());
  const auto too_few = [&](int r) {
    const int64_t strips = int64_t{p.batch} * ceil_div(tiles.result_rows(), r);
    return strips * tiles.filter_blocks() < 2 * int64_t{current_gpu().multiprocessors};
  };
  const auto too_large = [&](int r) { return 4 * strip_floats_for(p, r) > most_strip_bytes; };
  while (rows > 1 && (too_few(rows) || too_large(rows))) --rows;
  return rows;
}

std::string why_not(const NodeView& node, const Conv2dProblem& p) {
  const DType dtype = node.in[0].dtype;
  if (dtype == DType::float64) return "computes in TF32";
  if (dtype == DType::float32 && !settings().tf32) return "computes in TF32, which is switched off";
  if (p.groups != 1) return fmt::format("needs one group, got {}", p.groups);
  if (p.dilation_w != 1) return fmt::format("needs dilation 1 in a row, got {}", p.dilation_w);
  if (p.channels > most_channels)
    return fmt::format("takes up to {} channels, got {}", most_channels, p.channels);
  if (p.weight_rows() > most_taps)
    return fmt::format("holds {} weights of a filter, got {}", most_taps, p.weight_rows());
  if (p.filters % 8 != 0) return fmt::format("needs a multiple of 8 filters, got {}", p.filters);
  if (p.windows() == 0 || p.weight_rows() == 0) return "the result is empty";
  if (4 * strip_floats_for(p, 1) > most_strip_bytes)
    return fmt::format("a row of {} pixels does not fit into shared memory", p.width);
  return "";
}

}  // namespace

int Conv2dTiles::strip_floats() const { return strip_floats_for(problem, rows); }

int64_t Conv2dTiles::blocks(int64_t tiles, int64_t per_multiprocessor) const {
  const int64_t most =
      std::max<int64_t>(1, per_multiprocessor * current_gpu().multiprocessors / filter_blocks());
  const int64_t rounds = ceil_div(tiles, most);
  return ceil_div(tiles, rounds);
}

KernelSource Conv2dTiles::source(const char* file) const {
  const Conv2dProblem& p = problem;
  KernelSource source(file);
  source.type("T", dtype);
  const auto set = [&](const char* name, int value) { source.constant(name, value); };
  set("H", p.height), set("W", p.width), set("C", p.channels), set("F", p.filters);
  set("OH", p.out_height), set("OW", p.out_width), set("KH", p.kernel_h), set("KW", p.kernel_w);
  set("SH", p.stride_h), set("SW", p.stride_w), set("DH", p.dilation_h);
  set("PT", p.pad_top), set("PL", p.pad_left), set("PH", p.pool_h), set("PW", p.pool_w);
  set("ROWS", rows), set("NT", filter_tiles), set("THREADS", threads);
  set("RELU", relu), set("BIAS", bias), set("POOLED", pooled);
  return source;
}

bool plan_tiles(const NodeView& node, const Shape& x, const Shape& kernel, Conv2dTiles& tiles,
                std::string& refusal) {
  if (!is_one_float_type(node, refusal) || !has_known_activation(node, refusal)) return false;
  tiles.problem = conv2d_problem(node, x, kernel);
  tiles.dtype = node.in[0].dtype;
  tiles.relu = node.text("activation") == "relu";
  tiles.pooled = !node.integers("pool_size").empty();
  refusal = why_not(node, tiles.problem);
  if (!refusal.empty()) return false;
  tiles.filter_tiles = tiles.problem.filters % 32 == 0   ? 4
                       : tiles.problem.filters % 16 == 0 ? 2
                                                         : 1;
  tiles.rows = rows_of_a_strip(tiles);
  return true;
}

std::shared_ptr<Function> sum_parts_function(DType dtype) {
  return make_function(KernelSource("conv/sum_parts.cuh").type("T", dtype), "sum_parts");
}

void sum_parts(Encoder& encoder, Function& function, void* partial, void* dk, void* dbias,
               int64_t weights, int64_t size, int parts) {
  encoder.launch(function, {.blocks = blocks_for(size, 32), .threads = 1024}, partial, dk, dbias,
                 weights, size, parts);
}

}  // namespace stoker::cuda
