// Knowledge distillation: a small network learns from the labels and from the outputs of a large,
// trained one for the same images.
#include <fmt/format.h>

#include "stoker/stoker.h"

using namespace stoker;
using namespace stoker::layers;

namespace {

Sequential network(int64_t units, const char* name) {
  return Sequential({Input({.shape = {28, 28}}), Rescaling({.scale = 1.0 / 255}), Flatten(),
                     Dense({.units = units, .activation = "relu"}), Dense({.units = 10})},
                    name);
}

class Distiller : public Model {
 public:
  Distiller(const LayerRef& student, LayerRef teacher, double alpha, double temperature)
      : Model(student), teacher_(std::move(teacher)), alpha_(alpha), temperature_(temperature) {}

  // The compiled loss, mixed with the distance from the teacher's outputs.
  StepLogs train_step(const StepData& data) override {
    const Tensor expert = ops::softmax(teacher_(data.x[0]) / temperature_);
    GradientTape tape;
    const auto y_pred = call(data.x, {.training = true});
    const Tensor own = compute_loss(data, y_pred);
    const Tensor distance = divergence_(expert, ops::softmax(y_pred[0] / temperature_));
    const Tensor loss = alpha_ * own + (1 - alpha_) * temperature_ * temperature_ * distance;
    const auto variables = trainable_variables();
    optimizer().apply_gradients(tape.gradient(loss, variables), variables);
    update_metrics(data, y_pred, loss);
    return {};
  }

 private:
  LayerRef teacher_;
  double alpha_, temperature_;
  LossRef divergence_ = losses::KLDivergence();
};

CompileArgs settings() {
  return {.optimizer = "adam",
          .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
          .metrics = {"accuracy"}};
}

}  // namespace

int main() try {
  const auto data = datasets::fashion_mnist();
  set_random_seed(1);
  Sequential teacher = network(256, "teacher");
  teacher.compile(settings());
  teacher.fit(data.x_train, data.y_train, {.epochs = 3});
  teacher.evaluate(data.x_test, data.y_test);

  Distiller distiller(network(16, "student"), teacher, 0.1, 3);
  distiller.compile(settings());
  distiller.fit(data.x_train, data.y_train, {.epochs = 3});
  distiller.evaluate(data.x_test, data.y_test);
} catch (const Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
