#include "stoker/layers/mixing.h"

#include "nn/dict_input.h"
#include "nn/layers/image/drawn_beta.h"
#include "nn/layers/image/image_sampling.h"
#include "nn/layers/image/random_image_layer.h"
#include "stoker/ops/indexing.h"

namespace stoker::layers {

template <class V>
void visit(MixUpArgs& a, V& v) {
  v("alpha", a.alpha);
  v("seed", a.seed);
  v("data_format", a.data_format);
  nn::visit_layer(a, v);
}
template <class V>
void visit(CutMixArgs& a, V& v) {
  v("factor", a.factor);
  v("seed", a.seed);
  v("data_format", a.data_format);
  nn::visit_layer(a, v);
}

namespace {

// The partner of each sample, and the weight of the sample itself.
struct Mixture {
  Tensor images, others;  // the mixed images; the indices of the partners
  Tensor share;           // (batch, 1)
};

template <class Args>
class MixingLayer : public nn::RandomLayer<Args>, public nn::DictInput {
 public:
  MixingLayer(const char* class_name, const Args& args, std::source_location created)
      : nn::RandomLayer<Args>(class_name, args, created), format_(this->args_.data_format, *this) {}

  void build_all(const std::vector<Shape>& inputs) override {
    if (inputs.empty() || inputs.size() > 2)
      this->fail(fmt::format("takes images, or images and labels, got {} inputs.", inputs.size()));
    if (inputs.size() == 2 && inputs[1].rank() != 2)
      this->fail(fmt::format("expects labels (batch, classes), got {}.", to_string(inputs[1])),
                 "one-hot labels can be mixed, class indices cannot.");
    this->build(inputs[0]);
  }

  // A batch of one image has no partner to mix with.
  std::vector<Tensor> call_all(const std::vector<Tensor>& inputs, const CallArgs& args) override {
    if (!args.training || inputs[0].shape().rank() == 3) return passed_on(inputs);
    Mixture mixture;
    const Tensor images = ops::cast(inputs[0], this->compute_dtype());
    const Tensor mixed = format_.apply(images, *this, [&](const Tensor& x) {
      nn::Draws random = this->draws();
      mixture = mix(x, random);
      return mixture.images;
    });
    if (inputs.size() == 1) return {mixed};
    const Tensor labels = ops::cast(inputs[1], DType::float32);
    return {mixed,
            mixture.share * labels + (1.0 - mixture.share) * ops::gather(labels, mixture.others)};
  }

  std::vector<std::string> keys() const override { return {"images", "labels"}; }
  Layer::CallSignature call_signature() const override { return {{"data"}, {"training"}}; }

 protected:
  virtual Mixture mix(const Tensor& images, nn::Draws& random) = 0;
  virtual std::vector<Tensor> passed_on(const std::vector<Tensor>& inputs) const { return inputs; }

 private:
  nn::ImageFormat format_;
};

class MixUpLayer : public MixingLayer<MixUpArgs> {
 public:
  MixUpLayer(const MixUpArgs& args, std::source_location created)
      : MixingLayer("MixUp", args, created) {
    if (!(args.alpha > 0)) fail(fmt::format("alpha must be positive, got {}.", args.alpha));
  }

 private:
  Mixture mix(const Tensor& images, nn::Draws& random) override {
    const int64_t batch = images.shape()[0];
    const Tensor alpha = Array::scalar(static_cast<float>(args_.alpha));
    const Tensor order = nn::draw_order(random, batch),
                 share = nn::draw_beta(random, {batch, 1}, alpha);
    const Tensor own = ops::cast(ops::reshape(share, {batch, 1, 1, 1}), images.dtype());
    return {own * images + (1.0 - own) * ops::gather(images, order), order, share};
  }
};

class CutMixLayer : public MixingLayer<CutMixArgs> {
 public:
  CutMixLayer(const CutMixArgs& args, std::source_location created)
      : MixingLayer("CutMix", args, created) {
    const Config given = args.factor;
    const bool pair = given.is_list() && given.as_list().size() == 2;
    if (!pair && !given.is_number())
      fail(fmt::format("factor must be a number or two of them, got {}.", given.to_string()));
    low_ = pair ? given.as_list()[0].as_double() : 0;
    high_ = pair ? given.as_list()[1].as_double() : given.as_double();
    if (!(low_ >= 0 && high_ <= 1 && low_ <= high_))
      fail(fmt::format("factor must be in [0, 1], got {}.", given.to_string()));
    if (!pair) args_.factor = Config::List{0, given};
  }

 private:
  Mixture mix(const Tensor& images, nn::Draws& random) override {
    const int64_t batch = images.shape()[0], height = images.shape()[1], width = images.shape()[2];
    constexpr double least = 1e-6;
    const Tensor alpha = random.uniform(Shape{}, low_, high_) + least;
    const Tensor ratio = ops::sqrt(1.0 - nn::draw_beta(random, {batch, 1, 1}, alpha));
    const Span columns = draw(random, width, ratio), rows = draw(random, height, ratio);
    const Tensor inside = ops::logical_and(columns.covers(nn::column_numbers(width)),
                                           rows.covers(nn::row_numbers(height)));
    const Tensor area = (columns.end - columns.start) * (rows.end - rows.start);
    const Tensor share = 1.0 - area / static_cast<double>(height * width);
    const Tensor order = nn::draw_order(random, batch);
    return {ops::where(ops::expand_dims(inside, -1), ops::gather(images, order), images), order,
            ops::reshape(share, {batch, 1})};
  }

  struct Span {
    Tensor start, end;  // (batch, 1, 1)
    Tensor covers(const Tensor& places) const {
      return ops::logical_and(ops::greater_equal(places, start), ops::less(places, end));
    }
  };
  static Span draw(nn::Draws& random, int64_t length, const Tensor& ratio) {
    const Tensor size = ratio * static_cast<double>(length);
    const Tensor start = random.uniform(ratio.shape()) * (static_cast<double>(length) - size);
    return {start, start + size};
  }
  std::vector<Tensor> passed_on(const std::vector<Tensor>& inputs) const override {
    auto outputs = inputs;
    outputs[0] = ops::cast(inputs[0], compute_dtype());
    return outputs;
  }

  double low_ = 0, high_ = 1;
};

const nn::RegisterLayer<MixUpArgs> mix_up{"MixUp", MixUp};
const nn::RegisterLayer<CutMixArgs> cut_mix{"CutMix", CutMix};

}  // namespace

LayerRef MixUp(const MixUpArgs& args, std::source_location created) {
  return make_layer<MixUpLayer>(args, created);
}
LayerRef CutMix(const CutMixArgs& args, std::source_location created) {
  return make_layer<CutMixLayer>(args, created);
}

}  // namespace stoker::layers
