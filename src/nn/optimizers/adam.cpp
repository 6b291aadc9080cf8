#include "stoker/optimizers/adam.h"

#include "nn/optimizers/adam_rule.h"

namespace stoker::optimizers {

template <class V>
void visit(AdamArgs& a, V& v) {
  nn::visit_adam(a, v);
}

static const nn::RegisterOptimizer<AdamArgs> registered{"Adam", Adam};

std::shared_ptr<Optimizer> Adam(const AdamArgs& args) {
  return std::make_shared<nn::AdamRule<AdamArgs>>("Adam", args);
}

}  // namespace stoker::optimizers
