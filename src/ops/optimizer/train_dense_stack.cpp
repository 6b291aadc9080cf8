#include <numeric>

#include "ops/infer.h"

// The whole training step of a stack of Dense layers as one node; created by a pass, if a device
// has a kernel for it. Inputs: the states that it changes (attribute `states` is their number), the
// learning rate, x, y and, if `gathered`, the indices of the batch's rows in x and y. Outputs: the
// new states. States: kernel and bias, if any, of each layer; the same again for the optimizer's
// first moments and for its second moments, if it has them; the iteration; the call counters of
// layers with dropout; total and count of each metric.
namespace stoker::ops {
namespace {

constexpr size_t most_states = 128;

OutTypes infer_train_dense_stack(Types in, const Attrs& attrs) {
  const auto states = static_cast<size_t>(attrs.integer("states"));
  expect(states <= most_states && in.size() == states + 3 + size_t{attrs.flag("gathered")},
         fmt::format("takes {} states and their inputs, got {} inputs.", states, in.size()));
  return {in.begin(), in.begin() + static_cast<ptrdiff_t>(states)};
}

// Forward, weight gradient and activation gradient: three matrix products per layer.
double flops_train_dense_stack(Types in, Types, const Attrs& attrs) {
  double weights = 0;
  for (size_t i = 0; i < static_cast<size_t>(attrs.integer("states")); ++i)
    if (in[i].shape.rank() == 2) weights += static_cast<double>(in[i].shape.size());
  return 6.0 * static_cast<double>(attrs.integer("batch")) * weights /
         static_cast<double>(1 + attrs.integer("moments"));
}

// The states read and written; of x and y only the batch's rows if they are all samples.
double bytes_train_dense_stack(Types in, Types out, const Attrs& attrs) {
  double bytes = graph::bytes_of(out);
  for (size_t i = 0; i < in.size(); ++i) {
    TensorType type = in[i];
    if (attrs.flag("gathered") && (i == out.size() + 1 || i == out.size() + 2))
      type.shape[0] = attrs.integer("batch");
    bytes += static_cast<double>(type.bytes());
  }
  return bytes;
}

std::vector<int> each_in_its_place() {
  std::vector<int> places(most_states);
  std::iota(places.begin(), places.end(), 0);
  return places;
}

const RegisterOp registered{{.name = "train_dense_stack",
                             .infer = infer_train_dense_stack,
                             .flops = flops_train_dense_stack,
                             .bytes = bytes_train_dense_stack,
                             .in_place = each_in_its_place()}};

}  // namespace
}  // namespace stoker::ops
