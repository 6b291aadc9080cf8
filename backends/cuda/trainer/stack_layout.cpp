#include "trainer/stack_layout.h"

#include <algorithm>
#include <bit>

#include "core/round_up.h"

namespace stoker::cuda::trainer {
namespace {

int64_t power_of_two(int64_t at_least) {
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(at_least)));
}
int64_t width(const StackSpec& spec, size_t layer) {
  return layer == 0 ? spec.inputs : spec.layers[layer - 1].units;
}
int64_t moments(const StackSpec& spec) {
  return spec.optimizer == "adam" ? 2 : spec.momentum != 0 ? 1 : 0;
}

// Registers of a compute thread that may hold the first layer.
constexpr int64_t most_registers = 65536 / threads - 56;

// Each micro-batch costs about 6 us, regardless of its size.
constexpr int64_t most_sub_batches = 2;

// Allocates shared memory with the alignment of bulk copies.
class Arena {
 public:
  explicit Arena(StackLayout& layout) : layout_(layout) {}
  void take(const std::string& name, int64_t words) {
    layout_.offsets[name] = layout_.shared_bytes;
    layout_.shared_bytes += round_up(words * 4, 16);
  }
  void take(const char* name, size_t layer, int64_t words) {
    take(name + std::to_string(layer), words);
  }

 private:
  StackLayout& layout_;
};

class Planner {
 public:
  Planner(const StackSpec& spec, int64_t k_splits, int64_t sub_batch) : spec_(spec) {
    at_.k_splits = k_splits;
    at_.n_splits = spec.cluster / k_splits;
    at_.sub_batches = ceil_div(spec.batch, sub_batch);
    at_.sub_batch = ceil_div(spec.batch, at_.sub_batches);
  }

  StackLayout plan() {
    split_first_layer();
    split_samples();
    split_later_layers();
    place_moments();
    place();
    estimate();
    return at_;
  }

  // Words per compute thread for the first layer.
  static int64_t registers(const StackSpec& spec, const StackLayout& at) {
    const int64_t weights = 4 * at.unit_tiles * at.k_tiles;
    const int64_t copies = 1 + (at.moments_in_registers ? moments(spec) : 0);
    return weights * (copies + (fused(at) ? 0 : 1));
  }
  static bool fused(const StackLayout& at) {
    return at.sub_batches == 1 && at.rows <= 32 && at.unit_tiles == 1;
  }

 private:
  void split_first_layer() {
    const int64_t vector = spec_.inputs % 4 == 0 ? 4 : 1;
    at_.k_rows = round_up(ceil_div(spec_.inputs, at_.k_splits), vector);
    int64_t tiles = ceil_div(ceil_div(width(spec_, 1), at_.n_splits), 16);
    if (tiles > compute_warps) tiles = round_up(tiles, compute_warps);
    at_.units = tiles * 16;
    at_.unit_warps = std::min(tiles, compute_warps);
    at_.k_groups = compute_warps / at_.unit_warps;
    at_.unit_tiles = tiles / at_.unit_warps;
    const int64_t rows = at_.k_rows + (spec_.layers[0].use_bias ? 1 : 0);
    at_.k_groups = std::min(at_.k_groups, ceil_div(rows, 8));
    at_.k_tiles = ceil_div(ceil_div(rows, 8), at_.k_groups);
    // 8 or 24 modulo 32: no bank conflicts in either direction of reading a tile.
    const int64_t columns = at_.k_groups * at_.k_tiles * 8;
    at_.x_stride = columns + (columns % 16 == 8 ? 0 : 8);
    at_.local_stride = at_.units + (at_.units % 16 == 8 ? 0 : 8);
  }

  void split_samples() {
    at_.own = power_of_two(ceil_div(at_.sub_batch, spec_.cluster));
    at_.owners = ceil_div(at_.sub_batch, at_.own);
    at_.rows = round_up(at_.owners * at_.own, 16);
    const int64_t message = at_.units * at_.own;
    const int64_t skew = at_.own == 1 ? 8 : at_.own == 2 ? 16 : 0;
    at_.delta_stride = at_.own <= 2 ? message + (skew - message % 32 + 32) % 32 : message;
  }

  void split_later_layers() {
    const size_t layers = spec_.layers.size();
    at_.own_rows.assign(layers + 1, 0);
    at_.weight_stride.assign(layers + 1, 0);
    at_.padded_units.assign(layers + 1, 0);
    for (size_t l = 1; l <= layers; ++l) {
      at_.padded_units[l] = round_up(width(spec_, l), 4);
      if (l == 1) continue;
      at_.own_rows[l] =
          std::max<int64_t>(4, power_of_two(ceil_div(width(spec_, l - 1), spec_.cluster)));
      at_.weight_stride[l] = width(spec_, l) | 1;  // odd: no bank conflicts for rows and columns
    }
  }

  void place_moments() {
    at_.moments_in_registers = true;
    if (registers(spec_, at_) > most_registers) at_.moments_in_registers = false;
  }

  void place() {
    Arena arena(at_);
    const int64_t own = at_.own, owners = at_.owners, sub_rows = at_.rows;
    arena.take("barriers", 16);
    arena.take("metrics", 4 * spec_.cluster * 2);
    arena.take("sums", 4 * own);
    arena.take("alpha", 4);
    arena.take("calls", 2 * (static_cast<int64_t>(spec_.layers.size()) + 1));
    arena.take("index", 2 * sub_rows);
    const bool sparse = spec_.loss == "sparse_categorical_crossentropy";
    const int64_t outputs = width(spec_, spec_.layers.size());
    arena.take("labels", 2 * own * (sparse ? 1 : outputs));
    arena.take("x", 2 * sub_rows * at_.x_stride);
    arena.take("local", at_.k_groups * sub_rows * at_.local_stride);
    arena.take("part_out", owners * own * at_.units);
    arena.take("part", spec_.cluster * own * at_.units);
    arena.take("delta_in", sub_rows / std::min<int64_t>(own, sub_rows) * at_.delta_stride);
    const int64_t weights = 4 * at_.unit_tiles * at_.k_tiles * compute_warps * 32;
    arena.take("m", 1,
               at_.moments_in_registers ? 0 : weights * std::min<int64_t>(1, moments(spec_)));
    arena.take("v", 1, at_.moments_in_registers || moments(spec_) < 2 ? 0 : weights);
    for (size_t l = 1; l <= spec_.layers.size(); ++l) place_layer(arena, l);
  }

  void place_layer(Arena& arena, size_t l) {
    const int64_t own = at_.own, units = width(spec_, l), kept = moments(spec_);
    const bool last = l == spec_.layers.size();
    const int64_t next_rows = last ? 0 : at_.own_rows[l + 1] * spec_.cluster;
    arena.take("a", l, std::max(at_.padded_units[l], next_rows) * own);
    arena.take("d", l, (l == 1 ? at_.units * at_.n_splits : at_.padded_units[l]) * own);
    if (l == 1) return;
    const int64_t rows = at_.own_rows[l], cells = rows * units;
    const bool sums = at_.sub_batches > 1;
    arena.take("act_in", l, at_.owners * rows * own);
    arena.take("d_in", l, at_.owners * at_.padded_units[l] * own);
    arena.take("w", l, round_up(width(spec_, l - 1), rows) * at_.weight_stride[l]);
    arena.take("m", l, kept >= 1 ? cells : 0);
    arena.take("v", l, kept >= 2 ? cells : 0);
    arena.take("g", l, sums ? cells : 0);
    const int64_t biases = spec_.layers[l - 1].use_bias ? units : 0;
    arena.take("b", l, biases);
    arena.take("bm", l, kept >= 1 ? biases : 0);
    arena.take("bv", l, kept >= 2 ? biases : 0);
    arena.take("bg", l, sums ? biases : 0);
  }

  // Cycles as measured on an H200: bytes between blocks at about 25 per cycle, bytes of the batch
  // at 30, matrix tiles, Adam on four schedulers, and the latency of two exchanges.
  void estimate() {
    const auto bytes = [](int64_t words) { return 4.0 * static_cast<double>(words); };
    const double exchange =
        (bytes(spec_.cluster * at_.own * at_.units) + bytes(at_.owners * at_.delta_stride)) / 25;
    const double fetch = bytes(at_.sub_batch * at_.k_rows) / 30;
    const auto tiles = static_cast<double>(at_.unit_tiles * at_.k_tiles);
    const double matrix = tiles * static_cast<double>(at_.rows) / 8 * 2 * 2 * 1.6;
    at_.cost =
        static_cast<double>(at_.sub_batches) * (exchange + matrix + fetch + 2500) + tiles * 4 * 34;
  }

  const StackSpec& spec_;
  StackLayout at_;
};

std::string refuse_parts(const StackSpec& spec) {
  static const std::vector<std::string> activations{"linear", "relu", "sigmoid", "tanh"};
  static const std::vector<std::string> losses{"sparse_categorical_crossentropy",
                                               "categorical_crossentropy", "binary_crossentropy",
                                               "mean_squared_error"};
  if (spec.layers.empty()) return "no layers";
  if (spec.layers.size() > 8) return std::to_string(spec.layers.size()) + " layers, at most 8";
  for (const DenseSpec& layer : spec.layers)
    if (std::ranges::find(activations, layer.activation) == activations.end())
      return "activation " + layer.activation;
  if (std::ranges::find(losses, spec.loss) == losses.end()) return "loss " + spec.loss;
  if (spec.optimizer != "adam" && spec.optimizer != "sgd") return "optimizer " + spec.optimizer;
  if (spec.optimizer == "adam" && spec.epsilon < 1e-12) return "an epsilon under 1e-12";
  if (spec.layers.back().dropout != 0) return "dropout after the last layer";
  if (spec.cluster != 8 && spec.cluster != 16)
    return "a cluster of " + std::to_string(spec.cluster);
  return {};
}

std::string kilobytes(int64_t bytes) { return std::to_string(bytes / 1024) + " KB"; }

int64_t weights_of(const StackSpec& spec) {
  int64_t count = 0;
  for (size_t l = 1; l <= spec.layers.size(); ++l)
    count += width(spec, l) * (width(spec, l - 1) + (spec.layers[l - 1].use_bias ? 1 : 0));
  return count;
}

// Names the resource that is insufficient even in the best layout tried.
std::string too_large(const StackSpec& spec, int64_t least_shared) {
  const std::string what = "its " + std::to_string(weights_of(spec)) + " weights, spread over " +
                           std::to_string(spec.cluster) + " blocks, ";
  if (least_shared > spec.bytes_of_block)
    return what + "need " + kilobytes(least_shared) + " of a block's " +
           kilobytes(spec.bytes_of_block) + " of shared memory";
  return what + "do not fit into registers and shared memory";
}

}  // namespace

std::optional<StackLayout> lay_out(const StackSpec& spec, std::string& refusal) {
  refusal = refuse_parts(spec);
  if (!refusal.empty()) return {};
  std::optional<StackLayout> best;
  int64_t least = INT64_MAX;
  for (int64_t splits = 1; splits <= spec.cluster; splits *= 2) {
    for (int64_t sub_batch : {512, 256, 128, 64, 32, 16}) {
      if (sub_batch > 16 && sub_batch / 2 >= spec.batch) continue;
      const StackLayout at = Planner(spec, splits, std::min(sub_batch, spec.batch)).plan();
      least = std::min(least, at.shared_bytes);
      if (at.shared_bytes > spec.bytes_of_block || Planner::registers(spec, at) > most_registers)
        continue;
      if (at.k_tiles * at.unit_tiles > 28) continue;
      if (!best || at.cost < best->cost) best = at;
    }
  }
  if (!best) refusal = too_large(spec, least);
  if (!best || best->sub_batches <= most_sub_batches) return best;
  refusal = "a batch of " + std::to_string(spec.batch) +
            " would be processed in micro-batches of " + std::to_string(best->sub_batch) +
            ", which is slower than separate kernels";
  return {};
}

}  // namespace stoker::cuda::trainer
