#include "nn/dict_input.h"
#include "nn/layers/args_layer.h"
#include "nn/layers/image/image_format.h"
#include "nn/operations/axis_helpers.h"
#include "stoker/layers/bounding_boxes.h"
#include "stoker/ops/elementwise.h"

namespace stoker::layers {

namespace {
constexpr int64_t usual_filling = -1;
}

template <class V>
void visit(MaxNumBoundingBoxesArgs& a, V& v) {
  constexpr bool reads = std::is_same_v<V, nn::ArgsReader>;
  v("max_number", a.max_number, nn::required);
  // Keras accepts both, but does not write the first correctly, and omits the second.
  if (reads || a.fill_value != usual_filling) v("fill_value", a.fill_value);
  if (reads || a.bounding_box_format) v("bounding_box_format", a.bounding_box_format);
  v("data_format", a.data_format);
  nn::visit_layer(a, v);
}

namespace {

class MaxNumBoundingBoxesLayer : public nn::ArgsLayer<MaxNumBoundingBoxesArgs>,
                                 public nn::DictInput {
 public:
  MaxNumBoundingBoxesLayer(const MaxNumBoundingBoxesArgs& args, std::source_location created)
      : ArgsLayer("MaxNumBoundingBoxes", args, created) {
    const nn::ImageFormat checked(args_.data_format, *this);
    expect_positive("max_number", {args.max_number});
  }

  void build_all(const std::vector<Shape>& inputs) override {
    if (inputs.size() == 1) return;
    if (inputs.size() != 3)
      fail(fmt::format("takes images, or boxes, labels and images, got {} inputs.", inputs.size()));
    if (!args_.bounding_box_format)
      fail("got boxes, but no bounding_box_format.", "for example bounding_box_format=\"xyxy\".");
    const Shape &boxes = inputs[0], &labels = inputs[1];
    const bool fits = (boxes.rank() == 2 || boxes.rank() == 3) && boxes.back() == 4 &&
                      labels.rank() == boxes.rank() - 1;
    if (!fits)
      fail(fmt::format("expects boxes (batch, any, 4) and labels (batch, any), got {} and {}.",
                       to_string(boxes), to_string(labels)));
  }

  std::vector<Tensor> call_all(const std::vector<Tensor>& inputs, const CallArgs&) override {
    if (inputs.size() == 1) return inputs;
    const int axis = inputs[0].shape().rank() - 2;
    return {resized(ops::cast(inputs[0], DType::float32), axis), resized(inputs[1], axis),
            inputs[2]};
  }

  std::vector<std::string> keys() const override {
    return {"bounding_boxes/boxes", "bounding_boxes/labels", "images"};
  }
  CallSignature call_signature() const override { return {{"data"}, {"training"}}; }

 private:
  Tensor resized(const Tensor& x, int axis) const {
    const int64_t kept = std::min(x.shape()[axis], args_.max_number);
    Shape missing = x.shape();
    missing[axis] = args_.max_number - kept;
    const Tensor filling = ops::fill(missing, static_cast<double>(args_.fill_value), x.dtype());
    if (kept == 0) return filling;
    const Tensor first = nn::part(x, axis, 0, kept);
    return missing[axis] == 0 ? first : ops::concatenate({first, filling}, axis);
  }
};

const nn::RegisterLayer<MaxNumBoundingBoxesArgs> registered{"MaxNumBoundingBoxes",
                                                            MaxNumBoundingBoxes};

}  // namespace

LayerRef MaxNumBoundingBoxes(const MaxNumBoundingBoxesArgs& args, std::source_location created) {
  return make_layer<MaxNumBoundingBoxesLayer>(args, created);
}

}  // namespace stoker::layers
