#include "nn/layers/normalization/normalization_layer.h"
#include "stoker/layers/normalization.h"

namespace stoker::layers {

template <class V>
void visit(GroupNormalizationArgs& a, V& v) {
  v("groups", a.groups);
  v("axis", a.axis);
  v("epsilon", a.epsilon);
  v("center", a.center);
  v("scale", a.scale);
  v("beta_initializer", a.beta_initializer);
  v("gamma_initializer", a.gamma_initializer);
  v("beta_regularizer", a.beta_regularizer);
  v("gamma_regularizer", a.gamma_regularizer);
  v("beta_constraint", a.beta_constraint);
  v("gamma_constraint", a.gamma_constraint);
  nn::visit_layer(a, v);
}

namespace {

class GroupNormalizationLayer : public nn::NormalizationLayer<GroupNormalizationArgs> {
 public:
  GroupNormalizationLayer(const GroupNormalizationArgs& args, std::source_location created)
      : NormalizationLayer("GroupNormalization", args, created) {
    autocast = false;
    supports_masking = true;
    if (args.groups <= 0 && args.groups != -1)
      fail(fmt::format("groups must be positive, or -1 for one per channel, got {}.", args.groups));
  }

  void build(const Shape& input) override {
    size_ = known_size(input, args_.axis);
    if (args_.groups == -1) args_.groups = size_;
    if (size_ % args_.groups != 0)
      fail(fmt::format("{} channels at axis {} of input {} cannot be split into {} groups.", size_,
                       args_.axis, to_string(input), args_.groups));
    add_gamma_and_beta({size_}, args_.scale, args_.center);
  }

  Tensor call(const Tensor& given, const CallArgs&) override {
    const int axis = normalize_axis(args_.axis, given.shape().rank());
    if (given.shape()[axis] != size_)
      fail(fmt::format("expects {} at axis {}, got input {}.", size_, args_.axis,
                       to_string(given.shape())));
    const Tensor x = ops::reshape(nn::at_least_float32(given), split(given.shape(), axis));
    std::vector<int64_t> others;
    for (int i = 1; i < x.shape().rank(); ++i)
      if (i != axis) others.push_back(i);
    const Shape ones(std::vector<int64_t>(given.shape().dims().size(), 1));
    const auto [centered, variance] = nn::moments(x, others);
    const Tensor y = finish(centered, ops::rsqrt(variance + args_.epsilon), split(ones, axis));
    return ops::cast(nn::as_given(ops::reshape(y, given.shape()), given), compute_dtype());
  }

 private:
  // Replaces the channel axis by two: groups, and channels per group.
  Shape split(const Shape& shape, int axis) const {
    auto dims = shape.dims();
    dims[static_cast<size_t>(axis)] = size_ / args_.groups;
    dims.insert(dims.begin() + axis, args_.groups);
    return Shape(std::move(dims));
  }

  int64_t size_ = 0;
};

const nn::RegisterLayer<GroupNormalizationArgs> registered{"GroupNormalization",
                                                           GroupNormalization};

}  // namespace

LayerRef GroupNormalization(const GroupNormalizationArgs& args, std::source_location created) {
  return make_layer<GroupNormalizationLayer>(args, created);
}

}  // namespace stoker::layers
