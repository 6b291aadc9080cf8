#include <cmath>

#include "programs/program.h"

namespace stoker::programs {
namespace {

constexpr int64_t samples = 4096;

Account fit(Sequential model, const Data& data, const FitArgs& args) {
  FitArgs quiet = args;
  quiet.verbose = 0;
  model.fit(data.x, data.y, quiet);
  return model.account_data();
}

Account batch_of(int64_t size) {
  return fit(dense(128), digits(samples), {.batch_size = size, .epochs = size == 1 ? 3 : 20});
}

// The batch that a trial of the first program finds best.
int64_t best_batch() {
  Sequential model = dense(128);
  const Data data = digits(samples);
  return measure_headroom(model, data.x, data.y, {.batch_size = 1, .most = 256}).best_batch;
}

// All of it before the training, in one thread.
Account preprocessed_before() {
  Data data = digits(samples);
  for (float& value : data.x.mutable_data<float>()) value = std::sqrt(value);
  return fit(dense(128), data, {.batch_size = 32, .epochs = 20});
}

Account wide(const std::string& policy = "") {
  const DTypePolicy before = dtype_policy();
  if (!policy.empty()) set_dtype_policy(policy);
  Sequential model = dense(1024, 3);
  set_dtype_policy(before);
  return fit(std::move(model), digits(samples / 4), {.batch_size = 32, .epochs = 10});
}

Account on_a_device() { return fit(dense(64), digits(samples), {.epochs = 20}); }

Account with_one_gpu_visible() {
  if (const auto gpus = list_physical_devices("GPU"); !gpus.empty()) {
    try {
      set_visible_devices(gpus[0], "GPU");
    } catch (const std::runtime_error&) {  // the programs before used it
    }
  }
  return on_a_device();
}

Account with_memory_growth() {
  for (const auto& gpu : list_physical_devices("GPU")) {
    try {
      set_memory_growth(gpu, true);
    } catch (const std::runtime_error&) {
    }
  }
  return on_a_device();
}

Account early_stopping() {
  using namespace layers;
  set_random_seed(1);
  Sequential model({Input({.shape = {28, 28, 1}}),
                    Conv2D({.filters = 32, .kernel_size = 3, .activation = "relu"}),
                    MaxPooling2D({.pool_size = 2}), Flatten(),
                    Dense({.units = 10, .activation = "softmax"})});
  model.compile(
      {.optimizer = "adam", .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}});
  Data data = digits(2048);
  data.x = data.x.reshape({-1, 28, 28, 1});
  model.fit(data.x.rows(0, 1536), data.y.rows(0, 1536),
            {.batch_size = 64,
             .epochs = 5,
             .verbose = 0,
             .callbacks = {callbacks::EarlyStopping(
                 {.monitor = "val_loss", .patience = 3, .restore_best_weights = true})},
             .validation_data = {data.x.rows(1536, 2048), data.y.rows(1536, 2048)}});
  return model.account_data();
}

Dataset images_of_digits() {
  const Data data = digits(samples);
  return Dataset::from_tensor_slices({data.x.reshape({-1, 28, 28, 1}), data.y});
}

Account fit_images(const std::vector<Sequential::Item>& first, const Dataset& batches) {
  using namespace layers;
  std::vector<Sequential::Item> stack{Input({.shape = {28, 28, 1}})};
  stack.insert(stack.end(), first.begin(), first.end());
  for (const LayerRef& layer : {Flatten(), Dense({.units = 128, .activation = "relu"}),
                                Dense({.units = 10, .activation = "softmax"})})
    stack.push_back(layer);
  Sequential model(stack);
  model.compile({.optimizer = "adam", .loss = "sparse_categorical_crossentropy"});
  model.fit(batches, {.epochs = 10, .verbose = 0});
  return model.account_data();
}

Account augmented() {
  set_random_seed(1);
  const MapArgs parallel{.num_parallel_calls = AUTOTUNE};
  const auto flip = [](const Array& image, const Array& label, Random& random) {
    return std::pair(image::random_flip_left_right(image, random), label);
  };
  const auto brighter = [](const Array& image, const Array& label, Random& random) {
    return std::pair(image::random_brightness(image, 0.2F, random), label);
  };
  return fit_images(
      {},
      images_of_digits().map(flip, parallel).map(brighter, parallel).batch(32).prefetch(AUTOTUNE));
}

// Half as many elements change hands.
Account augmented_in_one_map() {
  set_random_seed(1);
  const auto both = [](const Array& image, const Array& label, Random& random) {
    const Array flipped = image::random_flip_left_right(image, random);
    return std::pair(image::random_brightness(flipped, 0.2F, random), label);
  };
  return fit_images(
      {},
      images_of_digits().map(both, {.num_parallel_calls = AUTOTUNE}).batch(32).prefetch(AUTOTUNE));
}

Account augmented_in_the_model() {
  using namespace layers;
  set_random_seed(1);
  return fit_images({RandomFlip({.mode = "horizontal"}),
                     RandomBrightness({.factor = 0.2, .value_range = Config::List{0, 1}})},
                    images_of_digits().batch(32).prefetch(AUTOTUNE));
}

}  // namespace

std::vector<Program> fits() {
  const std::string failing = "Why is my model failing on the GPU?",
                    no_gpu = "Why isn't my code utilizing GPUs?",
                    low = "Why is GPU utilization low?", optimize = "How to optimize for a GPU?";
  const std::vector<std::string> limited{"slow_stage", "serial_stage", "handing_over"};
  return {{failing,
           "batch_size=1",
           [] { return batch_of(1); },
           {{{"small_batch"},
             "the batch that a trial finds best",
             [] { return batch_of(best_batch()); }}}},
          {failing, "sqrt of all data before fit", preprocessed_before},
          {failing, "three layers of 1024", [] { return wide(); }},
          {no_gpu, "with device(\"/gpu:0\")", on_a_device},
          {no_gpu, "set_visible_devices", with_one_gpu_visible},
          {no_gpu, "set_memory_growth while training", with_memory_growth},
          {low, "a convolution, early stopping", early_stopping},
          {optimize,
           "map, map, batch, prefetch",
           augmented,
           {on_gpu ? Followed{limited, "both as layers of the model", augmented_in_the_model}
                   : Followed{limited, "one map for both", augmented_in_one_map}}},
          {optimize,
           "mixed_float16",
           [] { return wide("mixed_float16"); },
           {{{"float16_on_cpu"}, "float32", [] { return wide(); }}}},
          {optimize, "set_memory_growth", with_memory_growth}};
}

}  // namespace stoker::programs
