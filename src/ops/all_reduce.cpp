#include "stoker/ops/all_reduce.h"

#include <numeric>

#include "distribution/collectives.h"
#include "graph/emit.h"
#include "ops/infer.h"
#include "stoker/ops/elementwise.h"

// Attributes: collectives, the address of the table that a kernel calls; local_gradient, 1 for
// ReduceGradient::local. Outputs are the inputs' sums over all ranks, in their order.
namespace stoker::ops {
namespace {

OutTypes infer_all_reduce(Types in, const Attrs&) {
  expect(!in.empty(), "takes at least one input, got none.");
  return {in.begin(), in.end()};
}

std::vector<Tensor> emit_all_reduce(const std::vector<Tensor>& tensors, bool local) {
  const auto table = reinterpret_cast<int64_t>(&distribution::collectives());
  return graph::emit("all_reduce", tensors,
                     {{"collectives", table}, {"local_gradient", int64_t{local}}});
}

std::vector<Tensor> gradient_of(const Gradient& g) {
  std::vector<Tensor> grads = g.output_grads;
  if (g.attrs.flag("local_gradient")) return grads;
  std::vector<Tensor> flowing;
  for (const Tensor& grad : grads)
    if (grad.defined()) flowing.push_back(grad);
  const auto sums = emit_all_reduce(flowing, false);
  size_t next = 0;
  for (Tensor& grad : grads)
    if (grad.defined()) grad = sums[next++];
  return grads;
}

// Each sum may take its operand's memory; of a merge of more than these, the first.
std::vector<int> each_in_its_place() {
  std::vector<int> inputs(1024);
  std::iota(inputs.begin(), inputs.end(), 0);
  return inputs;
}

const RegisterOp registered{{.name = "all_reduce",
                             .infer = infer_all_reduce,
                             .gradient = gradient_of,
                             .stateful = true,
                             .in_place = each_in_its_place()}};

}  // namespace

std::vector<Tensor> all_reduce(const std::vector<Tensor>& tensors, ReduceGradient gradient) {
  std::vector<Tensor> sums;
  for (const Tensor& tensor : tensors) sums.push_back(all_reduce(tensor, gradient));
  return sums;
}

Tensor all_reduce(const Tensor& x, ReduceGradient gradient) {
  if (!distribution::current_slice()) return x;
  return emit_all_reduce({x}, gradient == ReduceGradient::local)[0];
}

double count_over_ranks(const Tensor& x) {
  const auto count = static_cast<double>(x.shape().size());
  const distribution::Slice* const slice = distribution::current_slice();
  if (!slice) return count;
  return count / static_cast<double>(slice->here) * static_cast<double>(slice->rows);
}

Tensor mean_over_ranks(const Tensor& x, ReduceGradient gradient) {
  const distribution::Slice* const slice = distribution::current_slice();
  if (!slice) return x;
  return all_reduce(x * (static_cast<double>(slice->here) / static_cast<double>(slice->rows)),
                    gradient);
}

}  // namespace stoker::ops
