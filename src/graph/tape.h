#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "stoker/tensor.h"

namespace stoker::graph {

// Records the ops emitted while it is active. Backpropagation visits them in reverse order and
// calls each op's gradient rule, which emits more ops. It works on tensors, so traced and eager
// code use the same algorithm.
class Tape {
 public:
  Tape();  // active on this thread until stop()
  ~Tape();
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;
  void stop();

  // Gradients of the sum of `target` (or of target·seed); undefined if the target does not depend
  // on a source.
  std::vector<Tensor> gradient(const Tensor& target, const std::vector<Tensor>& sources,
                               const Tensor& seed = {}) const;
  std::vector<Tensor> gradient(const Tensor& target,
                               const std::vector<std::shared_ptr<State>>& sources,
                               const Tensor& seed = {}) const;

  static void record_all(const Op& op, const Attrs& attrs, const std::vector<Tensor>& in,
                         const std::vector<Tensor>& out);
  static bool any_listening();
  static void record_read(const State& state, const Tensor& value);

 private:
  struct Entry {
    const Op* op;
    Attrs attrs;
    std::vector<Tensor> inputs, outputs;
    std::string scope;
  };
  std::vector<Entry> entries_;
  std::vector<std::pair<const State*, Tensor>> reads_;
  bool listening_ = true;
};

}  // namespace stoker::graph
