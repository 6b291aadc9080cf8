#include "nn/callbacks/fit_states.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "exec/eager.h"
#include "exec/variable.h"
#include "stoker/ops/all_finite.h"

namespace stoker::nn {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "dense_7/kernel" without the number, which depends on what this process created before.
std::string without_numbers(const std::string& name) {
  std::string text;
  for (size_t i = 0; i < name.size(); ++i) {
    size_t end = i + 1;
    while (name[i] == '_' && end < name.size() && is_digit(name[end])) ++end;
    const bool number = end > i + 1 && (end == name.size() || name[end] == '_' || name[end] == '/');
    if (number)
      i = end - 1;
    else
      text += name[i];
  }
  return text;
}

class Collector {
 public:
  void add(const std::shared_ptr<graph::State>& state) {
    if (!seen_.insert(state.get()).second) return;
    const std::string name = without_numbers(state->name);
    const int same = counts_[name]++;
    found.names.push_back(same == 0 ? name : fmt::format("{}#{}", name, same));
    found.states.push_back(state);
  }
  void add(const std::vector<Variable>& variables) {
    for (const Variable& variable : variables) add(variable.state());
  }
  FitStates found;

 private:
  std::set<const graph::State*> seen_;
  std::map<std::string, int> counts_;
};

}  // namespace

FitStates states_of_fit(Model& model) {
  Collector collector;
  if (const Session* session = model.impl().fits.running)
    for (const auto& state : session->states) collector.add(state);
  collector.add(model.weights());
  collector.add(model.network()->hidden_states());
  return collector.found;
}

bool weights_are_finite(const exec::States& states) {
  std::vector<Tensor> weights;
  for (const auto& state : states) {
    const exec::VariableState& memory = exec::memory_of(*state);
    if (memory.kind == device::MemoryKind::parameters && is_floating(state->type.dtype) &&
        memory.buffer.defined())
      weights.emplace_back(std::make_shared<exec::EagerTensor>(state->type, memory.buffer));
  }
  return weights.empty() || ops::all_finite(weights).array().at(0) != 0;
}

bool weights_are_finite(const Model& model) {
  exec::States states;
  for (const Variable& weight : model.weights()) states.push_back(weight.state());
  return weights_are_finite(states);
}

std::shared_ptr<const exec::StateCopies> copy_if_finite(const exec::States& states) {
  return weights_are_finite(states) ? std::make_shared<const exec::StateCopies>(states) : nullptr;
}

}  // namespace stoker::nn
