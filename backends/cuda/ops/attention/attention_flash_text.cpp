#include "ops/attention/attention_flash_text.h"

#include <algorithm>

#include "core/round_up.h"

namespace stoker::cuda {
namespace {

constexpr int threads = 128, block_rows = 64;

bool fits(int64_t size) { return size % 16 == 0 && size > 0 && size <= 128; }

// The number of matrices whose keys and values fill about a quarter of the L2 cache.
int64_t together(const AttentionProblem& p) {
  const int64_t bytes = p.keys * (p.size + p.values) * 2;
  return std::clamp<int64_t>(current_gpu().l2_bytes / 4 / std::max<int64_t>(bytes, 1), 1, p.count);
}

}  // namespace

bool serves_flash(const AttentionProblem& p, std::string& refusal) {
  constexpr int64_t most_places = 1 << 22, most_blocks = INT32_MAX;
  if (!is_half(p.dtype))
    refusal = "computes in float16 and bfloat16";
  else if (!fits(p.size) || !fits(p.values))
    refusal = "sizes of heads must be multiples of 16 up to 128";
  else if (p.count == 0 || p.queries == 0 || p.keys == 0)
    refusal = "an operand is empty";
  else if (std::max(p.queries, p.keys) > most_places ||
           p.count * (std::max(p.queries, p.keys) / block_rows + 1) > most_blocks)
    refusal = "the sequence is too long";
  else if (p.scale < 1e-6)  // the maximum is taken before scaling
    refusal = "needs a scale above zero";
  return refusal.empty();
}

FlashShape plain_shape(const AttentionProblem& p) {
  return {.step = p.size > 64 || p.values > 64 ? 32 : 64};
}

bool has_warpgroups(const AttentionProblem& p) {
  return current_gpu().capability == 90 && p.size == p.values && p.size % 64 == 0;
}

std::string flash_source(const char* file, const AttentionProblem& p, const FlashShape& s) {
  return attention_source(file, p)
      .macro("HALF", p.dtype == DType::float16 ? "\"f16\"" : "\"bf16\"")
      .macro("WARPGROUPS", s.warpgroups)
      .constant("THREADS", threads)
      .constant("STEP", s.step)
      .constant("BLOCKS_EACH", s.blocks_each)
      .constant("STAGES", s.stages)
      .constant("TOGETHER", together(p));
}

LaunchShape flash_launch(const AttentionProblem& p, const FlashShape& s, int64_t rows) {
  constexpr int64_t half_bytes = 2, sums_bytes = 8;
  const int64_t width = p.size + p.values + (s.warpgroups ? 0 : 16);
  const int64_t blocks = ceil_div(rows, block_rows);
  return {.blocks = static_cast<unsigned int>(p.count * blocks),
          .threads = threads,
          .shared_bytes =
              static_cast<unsigned int>(s.stages * s.step * (width * half_bytes + sums_bytes))};
}

}  // namespace stoker::cuda
