#pragma once
#include "stoker/layer.h"

namespace stoker::cli {

// GPT-2 with 124 million weights, from tokens (batch, positions) to logits, without dropout.
struct Gpt2Args {
  int64_t vocabulary = 50257, places = 1024, units = 768, heads = 12, blocks = 12;
};
LayerRef Gpt2(const Gpt2Args& args = {});

}  // namespace stoker::cli
