#include "nn/training/ranks/start_together.h"

#include <fmt/format.h>

#include "distribution/collectives.h"
#include "exec/variable.h"
#include "stoker/version.h"

namespace stoker::nn {
namespace {

std::string describe(const exec::States& states) {
  std::string text = fmt::format("of version {} with {} states", version(), states.size());
  for (const auto& state : states)
    text += fmt::format(", {} {}", state->name, to_string(state->type));
  return text;
}

}  // namespace

void start_together(const Model& model, const exec::States& states) {
  if (distribution::size() == 1) return;
  distribution::check_same(fmt::format("model \"{}\"", model.name()), describe(states));
  for (const auto& state : states) {
    Array value = exec::memory_of(*state).value().clone();
    distribution::broadcast({value.mutable_raw(), value.bytes()});
    Variable(state).set(value);
  }
}

}  // namespace stoker::nn
