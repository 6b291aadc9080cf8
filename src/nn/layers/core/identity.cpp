#include "stoker/layers/identity.h"

#include "nn/layers/args_layer.h"
#include "stoker/regularizers.h"

namespace stoker::layers {

template <class V>
void visit(IdentityArgs& a, V& v) {
  nn::visit_layer(a, v);
}
template <class V>
void visit(ActivityRegularizationArgs& a, V& v) {
  v("l1", a.l1);
  v("l2", a.l2);
  nn::visit_layer(a, v);
}

namespace {

class IdentityLayer : public nn::ArgsLayer<IdentityArgs> {
 public:
  IdentityLayer(const IdentityArgs& args, std::source_location created)
      : ArgsLayer("Identity", args, created) {
    supports_masking = true;
  }
  Tensor call(const Tensor& x, const CallArgs&) override { return x; }
};

class ActivityRegularizationLayer : public nn::ArgsLayer<ActivityRegularizationArgs> {
 public:
  ActivityRegularizationLayer(const ActivityRegularizationArgs& args, std::source_location created)
      : ArgsLayer("ActivityRegularization", args, created) {
    supports_masking = true;
    activity_regularizer = regularizers::L1L2({.l1 = args.l1, .l2 = args.l2});
  }
  Tensor call(const Tensor& x, const CallArgs&) override { return x; }
};

const nn::RegisterLayer<IdentityArgs> identity{"Identity", Identity};
const nn::RegisterLayer<ActivityRegularizationArgs> activity{"ActivityRegularization",
                                                             ActivityRegularization};

}  // namespace

LayerRef Identity(const IdentityArgs& args, std::source_location created) {
  return make_layer<IdentityLayer>(args, created);
}
LayerRef ActivityRegularization(const ActivityRegularizationArgs& args,
                                std::source_location created) {
  return make_layer<ActivityRegularizationLayer>(args, created);
}

}  // namespace stoker::layers
