#include "stoker/optimizers/adamw.h"

#include "nn/optimizers/adam_rule.h"

namespace stoker::optimizers {

template <class V>
void visit(AdamWArgs& a, V& v) {
  nn::visit_adam(a, v);
}

static const nn::RegisterOptimizer<AdamWArgs> registered{"AdamW", AdamW, {"adamw"}};

std::shared_ptr<Optimizer> AdamW(const AdamWArgs& args) {
  if (!args.weight_decay)
    throw InvalidArgument("[adamw] needs a weight_decay.", "without one, use adam.");
  return std::make_shared<nn::AdamRule<AdamWArgs>>("AdamW", args);
}

}  // namespace stoker::optimizers
