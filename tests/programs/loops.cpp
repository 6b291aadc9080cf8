#include <chrono>
#include <cmath>
#include <thread>

#include "programs/program.h"

namespace stoker::programs {
namespace {

constexpr int64_t side = 64;

// The step of the loops: op by op, or traced.
template <class Model>
auto step_of(Model& model, const LossRef& loss_function, const OptimizerRef& optimizer) {
  return [&model, loss_function, optimizer](const Tensor& x, const Tensor& y) {
    GradientTape tape;
    const Tensor predictions = model(x, {.training = true});
    const Tensor loss = loss_function(y, predictions);
    const auto variables = model.trainable_variables();
    optimizer->apply_gradients(tape.gradient(loss, variables), variables);
    return loss;
  };
}

enum class Pipeline { written, cached, batched_first };

Dataset pipeline(Pipeline form = Pipeline::written) {
  const Data data = digits(4096);
  const auto preprocess = [](const Array& x, const Array& y) {
    Array scaled = x.clone();
    for (float& value : scaled.mutable_data<float>()) value = value * 2 - 1;
    return std::pair(scaled, y);
  };
  const Dataset rows = Dataset::from_tensor_slices({data.x, data.y});
  const MapArgs parallel{.num_parallel_calls = AUTOTUNE};
  if (form == Pipeline::cached)  // the cache comes before the shuffle
    return rows.map(preprocess, parallel).cache().shuffle(4096).batch(32).prefetch(AUTOTUNE);
  if (form == Pipeline::batched_first)
    return rows.shuffle(4096).batch(32).map(preprocess, parallel).prefetch(AUTOTUNE);
  return rows.shuffle(4096).map(preprocess, parallel).batch(32).prefetch(AUTOTUNE);
}

constexpr int op_by_op_epochs = 6, traced_epochs = 20;

Account own_loop(bool traced, Pipeline form = Pipeline::written) {
  Sequential model = dense(128);
  const auto step = step_of(model, losses::SparseCategoricalCrossentropy(), optimizers::Adam());
  const auto compiled = function(step);
  const Dataset batches = pipeline(form);
  AccountScope scope;
  for (int epoch = 0; epoch < (traced ? traced_epochs : op_by_op_epochs); ++epoch)
    for (const auto& [x, y] : batches) {
      traced ? compiled(x, y) : step(x, y);
      scope.step(x.length());
    }
  return scope.account();
}

Account mirrored(Pipeline form) {
  const distribution::MirroredStrategy strategy;
  [[maybe_unused]] const auto scope_of_strategy = strategy.scope();
  Sequential model = dense(128);
  const auto step =
      function(step_of(model, losses::SparseCategoricalCrossentropy(), optimizers::Adam()));
  const auto batches = strategy.experimental_distribute_dataset(pipeline(form));
  AccountScope scope;
  for (int epoch = 0; epoch < traced_epochs; ++epoch)
    for (const auto& batch : batches) {
      strategy.run(step, batch);
      scope.step(32);
    }
  return scope.account();
}

struct Sine : Layer {
  Tensor call(const Tensor& x, const CallArgs&) override {
    static const HostFunction sine([](const std::vector<Array>& in) -> std::vector<Array> {
      Array out(in[0].dtype(), in[0].shape());
      const auto from = in[0].data<float>();
      auto to = out.mutable_data<float>();
      for (size_t i = 0; i < from.size(); ++i) to[i] = std::sin(from[i]);
      return {out};
    });
    return ops::host_call(x, sine);
  }
};
struct SineInOps : Layer {
  Tensor call(const Tensor& x, const CallArgs&) override { return ops::sin(x); }
};

Sequential convolutional(const std::vector<Sequential::Item>& between = {}) {
  using namespace layers;
  set_random_seed(1);
  std::vector<Sequential::Item> stack{
      Input({.shape = {side, side, 3}}),
      Conv2D({.filters = 32, .kernel_size = 3, .activation = "relu"})};
  stack.insert(stack.end(), between.begin(), between.end());
  stack.push_back(Flatten());
  stack.push_back(Dense({.units = 10, .activation = "softmax"}));
  return Sequential(stack);
}

// The loops of the last question only call the model, op by op or traced.
Account call_model(Sequential model, const Dataset& batches, bool traced = false) {
  const auto compiled = function([&model](const Tensor& x) { return model(x); });
  AccountScope scope;
  for (int epoch = 0; epoch < 3; ++epoch)
    for (const auto& [x, y] : batches) {
      traced ? compiled(x) : model(x);
      scope.step(x.length());
    }
  return scope.account();
}

Dataset plain() {
  static const Data data = images(2048, side);
  return Dataset::from_tensor_slices({data.x, data.y});
}
Dataset slow_batches() {
  const auto preprocess_slow = [](const Array& x, const Array& y) {
    std::this_thread::sleep_for(std::chrono::microseconds(500) * x.length());
    return std::pair(x, y);
  };
  return plain().batch(32).map(preprocess_slow, {.num_parallel_calls = 1});  // tf.data's default
}

const std::vector<std::string> slow_input{"serial_stage", "slow_stage", "storage"};
const std::vector<std::string> own_steps{"op_by_op", "outside"}, handing_over{"handing_over"};

Program slow_map() {
  return {"Why is training slow on a GPU?",
          "a slow map of batches",
          [] { return call_model(convolutional(), slow_batches()); },
          {{{"no_prefetch"},
            "prefetch behind it",
            [] { return call_model(convolutional(), slow_batches().prefetch(AUTOTUNE)); }},
           {slow_input, "a cache behind it",
            [] { return call_model(convolutional(), slow_batches().cache()); }},
           {own_steps, "stoker::function around the call",
            [] { return call_model(convolutional(), slow_batches(), true); }}}};
}

Program plain_map() {
  const auto batches = [] {
    const auto same = [](const Array& x, const Array& y) { return std::pair(x, y); };
    return plain().map(same).batch(32).prefetch(AUTOTUNE);
  };
  return {"Why is training slow on a GPU?",
          "map, batch, prefetch",
          [=] { return call_model(convolutional(), batches()); },
          {{own_steps, "stoker::function around the call",
            [=] { return call_model(convolutional(), batches(), true); }},
           {slow_input, "a cache behind the map",
            [] { return call_model(convolutional(), plain().batch(32).cache()); }}}};
}

Program layer_of_numpy() {
  return {"Why is training slow on a GPU?",
          "a layer of numpy",
          [] { return call_model(convolutional({make_layer<Sine>()}), plain().batch(32)); },
          {{{"host_op"}, "the layer in ops", [] {
              return call_model(convolutional({make_layer<SineInOps>()}), plain().batch(32));
            }}}};
}

}  // namespace

std::vector<Program> loops() {
  const std::string low = "Why is GPU utilization low?";
  return {
      {low,
       "map, batch, prefetch and a loop with a tape",
       [] { return own_loop(false); },
       {{own_steps, "stoker::function around the step", [] { return own_loop(true); }},
        {slow_input, "a cache behind the map", [] { return own_loop(false, Pipeline::cached); }},
        {handing_over, "batch before map",
         [] { return own_loop(false, Pipeline::batched_first); }}}},
      {low,
       "MirroredStrategy",
       [] { return mirrored(Pipeline::written); },
       {{slow_input, "a cache behind the map", [] { return mirrored(Pipeline::cached); }},
        {handing_over, "batch before map", [] { return mirrored(Pipeline::batched_first); }}}},
      slow_map(),
      plain_map(),
      layer_of_numpy()};
}

}  // namespace stoker::programs
