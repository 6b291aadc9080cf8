#include <numeric>

#include "nn/layers/merging/merge_layer.h"
#include "nn/unit_vectors.h"
#include "stoker/layers/merging.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/matmul.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::layers {

template <class V>
void visit(DotArgs& a, V& v) {
  // Keras writes one number if one was given for both axes.
  Config axes =
      a.axes.size() == 1 ? Config(a.axes[0]) : Config(Config::List(a.axes.begin(), a.axes.end()));
  v("axes", axes, nn::required);
  if (axes.is_int()) {
    a.axes = {axes.as_int()};
  } else {
    a.axes.clear();
    for (const Config& axis : axes.as_list()) a.axes.push_back(axis.as_int());
  }
  v("normalize", a.normalize);
  nn::visit_layer(a, v);
}

namespace {

// Joins all axes but batch and `axis`: (batch, rest, axis) or (batch, axis, rest).
Tensor as_matrices(const Tensor& x, int axis, bool axis_last) {
  std::vector<int64_t> order(static_cast<size_t>(x.shape().rank()));
  std::iota(order.begin(), order.end(), 0);
  order.erase(order.begin() + axis);
  order.insert(axis_last ? order.end() : order.begin() + 1, axis);
  const int64_t batch = x.shape()[0], size = x.shape()[axis];
  const int64_t rest = batch * size == 0 ? 0 : x.shape().size() / (batch * size);
  return ops::reshape(ops::transpose(x, order),
                      axis_last ? Shape{batch, rest, size} : Shape{batch, size, rest});
}

class DotLayer : public nn::MergeLayer<DotArgs> {
 public:
  DotLayer(const DotArgs& args, std::source_location created) : MergeLayer("Dot", args, created) {
    if (args.axes.empty() || args.axes.size() > 2)
      fail(fmt::format("takes one axis or two, got {}.", args.axes.size()));
  }

  void build_all(const std::vector<Shape>& inputs) override {
    if (inputs.size() != 2) fail(fmt::format("takes two inputs, got {}.", inputs.size()));
    for (size_t i = 0; i < 2; ++i) {
      const int64_t axis = args_.axes[std::min(i, args_.axes.size() - 1)];
      if (inputs[i].rank() < 2)
        fail(fmt::format("expects inputs (batch, …), got {}.", to_string(inputs[i])));
      if (axis < -inputs[i].rank() || axis >= inputs[i].rank() ||
          normalize_axis(axis, inputs[i].rank()) == 0)
        fail(fmt::format("axis {} is not one of input {} after the batch.", axis,
                         to_string(inputs[i])));
    }
  }

  std::vector<Tensor> compute_mask(const std::vector<Tensor>&,
                                   const std::vector<Tensor>&) override {
    return {};
  }

 protected:
  Tensor merge(const std::vector<Tensor>& inputs, const std::vector<Tensor>&) const override {
    Tensor a = inputs[0], b = inputs[1];
    const int first = axis_of(a, 0), second = axis_of(b, 1);
    if (a.shape()[first] != b.shape()[second])
      fail(fmt::format("inputs {} differ along axes {} and {}.", shapes_of(inputs), first, second));
    if (args_.normalize) {
      a = nn::unit_vectors(a, {first});
      b = nn::unit_vectors(b, {second});
    }
    return ops::reshape(ops::matmul(as_matrices(a, first, true), as_matrices(b, second, false)),
                        joined(a.shape(), first, b.shape(), second));
  }

 private:
  int axis_of(const Tensor& x, size_t input) const {
    return normalize_axis(args_.axes[std::min(input, args_.axes.size() - 1)], x.shape().rank());
  }
  static Shape joined(const Shape& a, int first, const Shape& b, int second) {
    std::vector<int64_t> dims;
    for (int i = 0; i < a.rank(); ++i)
      if (i != first) dims.push_back(a[i]);
    for (int i = 1; i < b.rank(); ++i)
      if (i != second) dims.push_back(b[i]);
    if (dims.size() == 1) dims.push_back(1);
    return Shape(std::move(dims));
  }
};

const nn::RegisterLayer<DotArgs> registered{"Dot", Dot};

}  // namespace

LayerRef Dot(const DotArgs& args, std::source_location created) {
  return make_layer<DotLayer>(args, created);
}

}  // namespace stoker::layers
