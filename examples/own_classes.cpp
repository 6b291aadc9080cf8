// A user-defined layer, loss and learning rate schedule in a model file: RegisterSerializable gives
// each a name by which Model::save writes it and load_model recreates it.
#include <stoker/stoker.h>

#include <cstdio>

using namespace stoker;

// x * factor per feature, with the argument `initial`.
struct Scale : Layer {
  explicit Scale(double initial) : Layer("Scale"), initial_(initial) {}
  explicit Scale(const Config& config) : Scale(config.find("initial")->as_double()) {}

  void build(const Shape& input) override {
    factor_ = add_weight("factor", {.shape = {input.back()},
                                    .initializer = initializers::Constant({.value = initial_})});
  }
  Tensor call(const Tensor& x, const CallArgs&) override { return x * factor_; }
  Config get_config() const override {
    Config config = Layer::get_config();
    config["initial"] = initial_;
    return config;
  }

 private:
  double initial_;
  Variable factor_;
};
const RegisterSerializable<Scale> scale_registered{"own_classes", "Scale"};

// rate / sqrt(1 + step).
struct InverseRoot : Schedule {
  explicit InverseRoot(double rate) : rate_(rate) {}
  explicit InverseRoot(const Config& config) : InverseRoot(config.find("rate")->as_double()) {}
  Tensor operator()(const Tensor& step) const override { return rate_ * ops::rsqrt(step + 1.0); }
  std::string class_name() const override { return "InverseRoot"; }
  Config get_config() const override { return Config::map({{"rate", rate_}}); }

 private:
  double rate_;
};
const RegisterSerializable<InverseRoot> rate_registered{"own_classes", "InverseRoot"};

// A function is a loss and a metric: predictions that are too small cost three times as much.
const RegisterFunction asymmetric{
    "own_classes", "asymmetric", [](const Tensor& y_true, const Tensor& y_pred) {
      const Tensor error = y_pred - y_true, square = error * error;
      return ops::mean(ops::where(ops::greater(error, 0), square, 3.0 * square), {.axis = {-1}});
    }};

int main() {
  const auto data = datasets::fashion_mnist();
  Sequential model({Input({.shape = {28, 28}}), layers::Rescaling({.scale = 1.0 / 255}),
                    layers::Flatten(), make_layer<Scale>(2.0), layers::Dense({.units = 1})});
  const LearningRate rate(std::make_shared<InverseRoot>(0.001));
  model.compile({.optimizer = optimizers::SGD({.learning_rate = rate}), .loss = {asymmetric}});
  const Array y = data.y_train.astype(DType::float32).reshape({data.y_train.length(), 1});
  model.fit(data.x_train, y, {.batch_size = 256, .epochs = 2});
  model.save("own_classes.keras");

  Model again = load_model("own_classes.keras");
  std::printf("learning rate of the next step: %g, after loading: %g\n",
              model.optimizer().learning_rate(), again.optimizer().learning_rate());
  again.fit(data.x_train, y, {.batch_size = 256});  // continues where the first one ended
}
