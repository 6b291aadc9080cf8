#include <algorithm>

#include "nn/layers/args_layer.h"
#include "stoker/layers/reshaping.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::layers {

template <class V>
void visit(PermuteArgs& a, V& v) {
  v("dims", a.dims, nn::required);
  nn::visit_layer(a, v);
}

namespace {

class PermuteLayer : public nn::ArgsLayer<PermuteArgs> {
 public:
  PermuteLayer(const PermuteArgs& args, std::source_location created)
      : ArgsLayer("Permute", args, created) {
    auto sorted = args.dims;
    std::sort(sorted.begin(), sorted.end());
    for (size_t i = 0; i < sorted.size(); ++i)
      if (sorted[i] != static_cast<int64_t>(i) + 1)
        fail(fmt::format("dims must name each axis from 1 to {} once, got {}.", sorted.size(),
                         to_string(Shape(args.dims))));
  }

  void build(const Shape& input) override {
    if (input.rank() != static_cast<int>(args_.dims.size()) + 1)
      fail(fmt::format("expects input with {} dimensions for dims {}, got {}.",
                       args_.dims.size() + 1, to_string(Shape(args_.dims)), to_string(input)));
  }
  Tensor call(const Tensor& x, const CallArgs&) override {
    return ops::transpose(x, Shape(args_.dims).with_front(0).dims());
  }
};

const nn::RegisterLayer<PermuteArgs> registered{"Permute", Permute};

}  // namespace

LayerRef Permute(const PermuteArgs& args, std::source_location created) {
  return make_layer<PermuteLayer>(args, created);
}

}  // namespace stoker::layers
