#include "graph/tape.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "graph/emit.h"
#include "stoker/error.h"

namespace stoker::graph {
namespace {

thread_local std::vector<Tape*> listening;

// Gradient tensors by the identity of the tensor they belong to.
class Accumulator {
 public:
  void add(const Tensor& of, const Tensor& grad) {
    Tensor& sum = grads_[of.id()];
    sum = sum.defined() ? emit1("add", {sum, grad}) : grad;
  }
  Tensor find(const Tensor& of) const {
    auto found = grads_.find(of.id());
    return found == grads_.end() ? Tensor() : found->second;
  }

 private:
  std::unordered_map<const TensorImpl*, Tensor> grads_;
};

}  // namespace

Tape::Tape() { listening.push_back(this); }
Tape::~Tape() { stop(); }
void Tape::stop() {
  if (listening_) std::erase(listening, this);
  listening_ = false;
}

void Tape::record_all(const Op& op, const Attrs& attrs, const std::vector<Tensor>& in,
                      const std::vector<Tensor>& out) {
  for (Tape* tape : listening)
    tape->entries_.push_back({&op, attrs, in, out, PathScope::current()});
}

bool Tape::any_listening() { return !listening.empty(); }

void Tape::record_read(const State& state, const Tensor& value) {
  for (Tape* tape : listening) tape->reads_.emplace_back(&state, value);
}

std::vector<Tensor> Tape::gradient(const Tensor& target, const std::vector<Tensor>& sources,
                                   const Tensor& seed) const {
  // Forward: what depends on a source. Backpropagation visits only that, so a first layer's dX is
  // never computed.
  std::unordered_set<const TensorImpl*> dependent;
  for (const Tensor& source : sources) dependent.insert(source.id());
  auto depends = [&](const Tensor& t) { return dependent.contains(t.id()); };
  for (const Entry& entry : entries_)
    if (entry.op->gradient && std::any_of(entry.inputs.begin(), entry.inputs.end(), depends))
      for (const Tensor& out : entry.outputs) dependent.insert(out.id());

  Accumulator grads;
  if (depends(target))
    grads.add(target, seed.defined() ? seed
                                     : emit1("broadcast_to", {scalar_like(target, 1)},
                                             {{"shape", target.shape().dims()}}));
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    if (!entry->op->gradient) continue;
    std::vector<Tensor> out_grads;
    bool flows = false;
    for (const Tensor& out : entry->outputs) {
      out_grads.push_back(depends(out) ? grads.find(out) : Tensor());
      flows |= out_grads.back().defined();
    }
    if (!flows) continue;
    std::vector<bool> needed;
    for (const Tensor& in : entry->inputs) needed.push_back(depends(in));
    const PathScope scope(entry->scope.empty() ? "grad" : entry->scope + ":grad");
    const auto in_grads =
        entry->op->gradient({entry->attrs, entry->inputs, entry->outputs, out_grads, needed});
    if (in_grads.size() != entry->inputs.size())
      throw Internal(fmt::format("the gradient of \"{}\" has {} parts for {} inputs.",
                                 entry->op->name, in_grads.size(), entry->inputs.size()));
    for (size_t i = 0; i < in_grads.size(); ++i)
      if (needed[i] && in_grads[i].defined()) grads.add(entry->inputs[i], in_grads[i]);
  }
  std::vector<Tensor> result;
  for (const Tensor& source : sources) result.push_back(grads.find(source));
  return result;
}

std::vector<Tensor> Tape::gradient(const Tensor& target,
                                   const std::vector<std::shared_ptr<State>>& sources,
                                   const Tensor& seed) const {
  // A variable may have been read several times; its gradient is the sum over the reads.
  std::vector<Tensor> reads;
  std::vector<size_t> owner;
  std::unordered_set<const TensorImpl*> seen;
  for (const auto& [state, value] : reads_)
    for (size_t s = 0; s < sources.size(); ++s)
      if (sources[s].get() == state && seen.insert(value.id()).second) {
        reads.push_back(value);
        owner.push_back(s);
      }
  const auto grads = gradient(target, reads, seed);
  std::vector<Tensor> result(sources.size());
  for (size_t i = 0; i < grads.size(); ++i)
    if (grads[i].defined()) {
      Tensor& sum = result[owner[i]];
      sum = sum.defined() ? emit1("add", {sum, grads[i]}) : grads[i];
    }
  return result;
}

}  // namespace stoker::graph
