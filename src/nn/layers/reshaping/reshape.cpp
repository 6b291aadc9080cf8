#include "nn/layers/args_layer.h"
#include "stoker/layers/reshaping.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::layers {

template <class V>
void visit(ReshapeArgs& a, V& v) {
  // Keras writes an unknown size as -1, where shapes have null.
  Config target = Config::List(a.target_shape.begin(), a.target_shape.end());
  v("target_shape", target, nn::required);
  std::vector<int64_t> dims;
  for (const Config& dim : target.as_list()) dims.push_back(dim.is_null() ? unknown : dim.as_int());
  a.target_shape = Shape(std::move(dims));
  nn::visit_layer(a, v);
}

namespace {

class ReshapeLayer : public nn::ArgsLayer<ReshapeArgs> {
 public:
  ReshapeLayer(const ReshapeArgs& args, std::source_location created)
      : ArgsLayer("Reshape", args, created) {
    int unknowns = 0;
    for (int64_t dim : args.target_shape) {
      unknowns += dim == unknown;
      if (dim < unknown) fail(fmt::format("target_shape cannot hold {}.", dim));
    }
    if (unknowns > 1)
      fail(fmt::format("target_shape {} has more than one unknown dimension.",
                       to_string(args.target_shape)));
  }

  Tensor call(const Tensor& x, const CallArgs&) override {
    const Shape sample = x.shape().drop_front();
    int64_t known = 1;
    bool free = false;
    for (int64_t dim : args_.target_shape) dim == unknown ? void(free = true) : void(known *= dim);
    if (free ? known == 0 || sample.size() % known != 0 : sample.size() != known)
      fail(fmt::format("cannot turn samples {} ({} elements) into {}.", to_string(sample),
                       sample.size(), to_string(args_.target_shape)));
    Shape target = args_.target_shape;
    for (int i = 0; i < target.rank(); ++i)
      if (target[i] == unknown) target[i] = sample.size() / known;
    return ops::reshape(x, target.with_front(x.shape()[0]));
  }
};

const nn::RegisterLayer<ReshapeArgs> registered{"Reshape", Reshape};

}  // namespace

LayerRef Reshape(const ReshapeArgs& args, std::source_location created) {
  return make_layer<ReshapeLayer>(args, created);
}

}  // namespace stoker::layers
