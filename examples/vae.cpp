// A variational autoencoder: the encoder outputs a distribution for an image, a point is drawn from
// it, and the decoder reconstructs the image. Three losses, tracked by the model's own metrics.
#include <fmt/format.h>

#include "stoker/stoker.h"

using namespace stoker;
using namespace stoker::layers;

namespace {

constexpr int64_t latent = 2;

class VAE : public Model {
 public:
  VAE(const LayerRef& encoder, const LayerRef& decoder)
      : Model({{"encoder", encoder}, {"decoder", decoder}}, "vae"),
        encoder_(encoder),
        decoder_(decoder) {}

  StepLogs train_step(const StepData& data) override {
    const Tensor images = data.x[0];
    GradientTape tape;
    const auto where = encoder_.call_all({images}, {.training = true});
    const Tensor mean = where[0], log_variance = where[1];
    const Tensor made = decoder_(draw(mean, log_variance), {.training = true});
    const Tensor reconstruction = 28.0 * 28.0 * reconstruction_(images, made);
    const Tensor divergence =
        -0.5 * ops::mean(ops::sum(1.0 + log_variance - ops::square(mean) - ops::exp(log_variance),
                                  {.axis = {1}}));
    const Tensor loss = reconstruction + divergence;
    const auto variables = trainable_variables();
    optimizer().apply_gradients(tape.gradient(loss, variables), variables);
    loss_->update_state(loss, {});
    reconstruction_loss_->update_state(reconstruction, {});
    divergence_loss_->update_state(divergence, {});
    return {};
  }

  std::vector<std::shared_ptr<Metric>> metrics() const override {
    return {loss_, reconstruction_loss_, divergence_loss_};
  }
  std::vector<Tensor> call(const std::vector<Tensor>& images, const CallArgs& args) override {
    return {decoder_(encoder_.call_all(images, args)[0], args)};
  }

 private:
  Tensor draw(const Tensor& mean, const Tensor& log_variance) {
    drawn_.assign(drawn_.read() + 1.0);
    return mean + ops::exp(0.5 * log_variance) * ops::random_normal(mean.shape(), 1, drawn_);
  }

  LayerRef encoder_, decoder_;
  LossRef reconstruction_ = losses::BinaryCrossentropy();
  std::shared_ptr<Metric> loss_ = metrics::Mean({.name = "loss"}),
                          reconstruction_loss_ = metrics::Mean({.name = "reconstruction_loss"}),
                          divergence_loss_ = metrics::Mean({.name = "divergence"});
  Variable drawn_ = Variable(Array::scalar(int64_t{0}), "drawn", false);
};

Model make_encoder() {
  const Tensor image = Input({.shape = {28, 28}});
  const Tensor hidden = Dense({.units = 128, .activation = "relu"})(Flatten()(image));
  return Model({.inputs = {image},
                .outputs = {Dense({.units = latent, .name = "mean"})(hidden),
                            Dense({.units = latent, .name = "log_variance"})(hidden)},
                .name = "encoder"});
}

}  // namespace

int main() try {
  const auto data = datasets::fashion_mnist();
  set_random_seed(1);
  const Sequential decoder(
      {Input({.shape = {latent}}), Dense({.units = 128, .activation = "relu"}),
       Dense({.units = 28 * 28, .activation = "sigmoid"}), Reshape({.target_shape = {28, 28}})},
      "decoder");
  VAE vae(make_encoder(), decoder);
  vae.compile({.optimizer = "adam"});
  Array images = data.x_train.rows(0, 12800).astype(DType::float32);
  for (float& pixel : images.mutable_data<float>()) pixel /= 255;
  vae.fit(images, {}, {.batch_size = 128, .epochs = 5});

  const Array first = images.rows(0, 1), again = vae.predict(first);
  double error = 0;
  for (int64_t i = 0; i < first.size(); ++i) error += std::abs(first.at(i) - again.at(i));
  fmt::print("the first image comes back with a mean error of {:.3f}\n",
             error / static_cast<double>(first.size()));
} catch (const Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
