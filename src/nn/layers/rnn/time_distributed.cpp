#include "distribution/slice.h"
#include "graph/emit.h"
#include "nn/layers/args_layer.h"
#include "stoker/layers/bidirectional.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::layers {

template <class V>
void visit(TimeDistributedArgs& a, V& v) {
  v("layer", a.layer, nn::required);
  nn::visit_layer(a, v);
}

namespace {

// (batch, time, …) → (batch * time, …)
Tensor joined(const Tensor& x) {
  auto dims = x.shape().drop_front().dims();
  dims[0] *= x.shape()[0];
  return ops::reshape(x, Shape(std::move(dims)));
}
Tensor parted(const Tensor& x, int64_t batch, int64_t time) {
  return ops::reshape(x, x.shape().drop_front().with_front(time).with_front(batch));
}
// A rank's rows of the joined batch.
distribution::Slice joined_rows(int64_t batch, int64_t time) {
  const distribution::Slice* const slice = distribution::current_slice();
  if (!slice || slice->here != batch) return slice ? *slice : distribution::Slice{};
  return {slice->rows * time, slice->first * time, slice->here * time};
}
Tensor step_of(const Tensor& x, int64_t t) {
  std::vector<int64_t> start(static_cast<size_t>(x.shape().rank()), 0), size = x.shape().dims();
  start[1] = t, size[1] = 1;
  return ops::squeeze(ops::slice(x, start, size), 1);
}

class TimeDistributedLayer : public nn::ArgsLayer<TimeDistributedArgs> {
 public:
  TimeDistributedLayer(const TimeDistributedArgs& args, std::source_location created)
      : ArgsLayer("TimeDistributed", args, created) {
    supports_masking = true;
    if (!args.layer.ptr()) fail("needs a layer.");
  }

  void build(const Shape& input) override {
    if (input.rank() < 3)
      fail(fmt::format("expects input (batch, time, …), got {}.", to_string(input)));
    auto step = input.dims();
    step.erase(step.begin() + 1);
    const graph::PathScope path(args_.layer->name());
    args_.layer->build_once({Shape(step)});
  }

  // For most layers time steps are just more samples. Layers with batch statistics process them one
  // by one.
  Tensor call(const Tensor& x, const CallArgs& args) override {
    const int64_t batch = x.shape()[0], time = x.shape()[1];
    const Tensor mask = args.mask(0);
    if (!args.training || !keeps_statistics()) {
      CallArgs inner{.training = args.training};
      if (mask.defined()) inner.tensors["mask"] = {joined(mask)};
      const distribution::SliceScope rows(joined_rows(batch, time));
      return parted(args_.layer(joined(x), inner), batch, time);
    }
    std::vector<Tensor> steps;
    for (int64_t t = 0; t < time; ++t) {
      CallArgs inner{.training = true};
      if (mask.defined()) inner.tensors["mask"] = {step_of(mask, t)};
      steps.push_back(ops::expand_dims(args_.layer(step_of(x, t), inner), 1));
    }
    return ops::concatenate(steps, 1);
  }

  std::vector<Sublayer> named_sublayers() const override { return {{"layer", args_.layer}}; }

 private:
  bool keeps_statistics() const {
    return args_.layer->trainable() && !args_.layer->non_trainable_variables().empty();
  }
};

const nn::RegisterLayer<TimeDistributedArgs> registered{"TimeDistributed", TimeDistributed};

}  // namespace

LayerRef TimeDistributed(const TimeDistributedArgs& args, std::source_location created) {
  return make_layer<TimeDistributedLayer>(args, created);
}

}  // namespace stoker::layers
