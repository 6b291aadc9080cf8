// A generative adversarial network: a user-defined train_step with two networks, two optimizers and
// two tapes. fit compiles it into one step like any other.
//
// gan [CHECKPOINTS [WEIGHTS]]: CHECKPOINTS is a folder; a run that was killed continues from its
// checkpoint there when it is started again. WEIGHTS is a .safetensors file for the final weights.
#include <fmt/format.h>

#include "stoker/stoker.h"

using namespace stoker;
using namespace stoker::layers;

namespace {

constexpr int64_t latent = 32, pixels = 28 * 28;

class GAN : public Model {
 public:
  GAN(const LayerRef& generator, const LayerRef& discriminator)
      : Model({{"generator", generator}, {"discriminator", discriminator}}, "gan"),
        generator_(generator),
        discriminator_(discriminator) {
    compile();
  }

  StepLogs train_step(const StepData& data) override {
    const Tensor real = data.x[0];
    const int64_t batch = real.shape()[0];
    const Tensor ones = ops::fill({batch, 1}, 1), zeros = ops::fill({batch, 1}, 0);
    {
      GradientTape tape;
      const Tensor fake = generator_(noise(batch), {.training = true});
      const Tensor loss = loss_(ones, discriminator_(real, {.training = true})) +
                          loss_(zeros, discriminator_(fake, {.training = true}));
      learn(*discriminator_optimizer_, tape, loss, discriminator_);
      discriminator_loss_->update_state(loss, {});
    }
    GradientTape tape;
    const Tensor fake = generator_(noise(batch), {.training = true});
    const Tensor loss = loss_(ones, discriminator_(fake, {.training = true}));
    learn(*generator_optimizer_, tape, loss, generator_);
    generator_loss_->update_state(loss, {});
    return {{"discriminator_loss", discriminator_loss_->result()},
            {"generator_loss", generator_loss_->result()}};
  }

  std::vector<std::shared_ptr<Metric>> metrics() const override {
    return {discriminator_loss_, generator_loss_};
  }

 private:
  Tensor noise(int64_t batch) {
    drawn_.assign(drawn_.read() + 1.0);
    return ops::random_normal({batch, latent}, 1, drawn_);
  }
  static void learn(Optimizer& optimizer, GradientTape& tape, const Tensor& loss,
                    const LayerRef& network) {
    const auto variables = network->trainable_variables();
    optimizer.apply_gradients(tape.gradient(loss, variables), variables);
  }

  LayerRef generator_, discriminator_;
  LossRef loss_ = losses::BinaryCrossentropy({.from_logits = true});
  OptimizerRef generator_optimizer_ = optimizers::Adam({.learning_rate = 3e-4, .beta_1 = 0.5}),
               discriminator_optimizer_ = optimizers::Adam({.learning_rate = 3e-4, .beta_1 = 0.5});
  std::shared_ptr<Metric> discriminator_loss_ = metrics::Mean({.name = "discriminator_loss"}),
                          generator_loss_ = metrics::Mean({.name = "generator_loss"});
  Variable drawn_ = Variable(Array::scalar(int64_t{0}), "drawn", false);
};

}  // namespace

int main(int argc, char** argv) try {
  const auto data = datasets::fashion_mnist();
  set_random_seed(1);
  const Sequential generator(
      {Input({.shape = {latent}}), Dense({.units = 128}), LeakyReLU(),
       Dense({.units = pixels, .activation = "sigmoid"}), Reshape({.target_shape = {28, 28}})},
      "generator");
  const Sequential discriminator({Input({.shape = {28, 28}}), Flatten(), Dense({.units = 128}),
                                  LeakyReLU(), Dropout({.rate = 0.3}), Dense({.units = 1})},
                                 "discriminator");
  GAN gan(generator, discriminator);
  Array images = data.x_train.rows(0, 12800).astype(DType::float32);
  for (float& pixel : images.mutable_data<float>()) pixel /= 255;
  std::vector<CallbackRef> callbacks;
  if (argc > 1)
    callbacks.push_back(callbacks::BackupAndRestore({.backup_dir = argv[1], .save_freq = 50}));
  gan.fit(images, {}, {.batch_size = 64, .epochs = 5, .callbacks = callbacks});
  if (argc > 2) gan.save_weights(argv[2]);

  const Array drawn =
      generator(ops::random_normal({1, latent}, 2, Tensor(Array::scalar(int64_t{1})))).array();
  for (int64_t row = 0; row < 28; row += 2) {
    for (int64_t column = 0; column < 28; ++column)
      fmt::print("{}", " .:-=+*#%@"[static_cast<int>(drawn.at(row * 28 + column) * 9.99)]);
    fmt::print("\n");
  }
} catch (const Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
