// Transfer learning: a convolutional base trained on many pictures is saved, loaded and frozen,
// while a new head is trained on other classes with a few pictures in a folder and augmentation.
//
// transfer_learning [FOLDER]: the folder to which it writes the generated pictures and the model.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "stoker/contact_sheet.h"
#include "stoker/stoker.h"

using namespace stoker;
using namespace stoker::layers;

namespace {

constexpr int64_t size = 32;

// Is a point of the plane inside a shape of this radius?
bool inside(const std::string& shape, float x, float y, float radius) {
  if (shape == "disc") return std::hypot(x, y) < radius;
  if (shape == "ring") return std::abs(std::hypot(x, y) - radius) < radius / 4;
  if (shape == "square") return std::max(std::abs(x), std::abs(y)) < radius;
  if (shape == "cross") return std::min(std::abs(x), std::abs(y)) < radius / 4;
  return std::fmod(std::abs(x) + 100, radius) < radius / 2;  // stripes
}

// With random size, position and colours.
Array picture(const std::string& shape, Random& random) {
  const float radius = random.uniform(6, 11), cx = random.uniform(12, 20),
              cy = random.uniform(12, 20);
  float ink[3], paper[3];
  for (int c = 0; c < 3; ++c) ink[c] = random.uniform(0, 110), paper[c] = random.uniform(140, 250);
  Array image(DType::uint8, {size, size, 3});
  uint8_t* pixel = image.mutable_data<uint8_t>().data();
  for (int64_t y = 0; y < size; ++y)
    for (int64_t x = 0; x < size; ++x) {
      const bool in = inside(shape, static_cast<float>(x) - cx, static_cast<float>(y) - cy, radius);
      for (int c = 0; c < 3; ++c)
        *pixel++ = static_cast<uint8_t>((in ? ink[c] : paper[c]) + random.uniform(-5, 5));
    }
  return image;
}

// A folder for each shape.
void make_folder(const std::string& folder, const std::vector<std::string>& shapes, int each) {
  Random random(each);
  for (const std::string& shape : shapes) {
    std::filesystem::create_directories(folder + "/" + shape);
    for (int i = 0; i < each; ++i)
      save_png(fmt::format("{}/{}/{}.png", folder, shape, i), picture(shape, random));
  }
}

Dataset batches(const std::string& folder, const image::Transform& transform) {
  return image_dataset_from_directory(folder, {.batch_size = 16, .seed = 1, .transform = transform})
      .dataset;
}

CompileArgs settings() {
  return {.optimizer = optimizers::Adam({.learning_rate = 0.003}),
          .loss = "sparse_categorical_crossentropy",
          .metrics = {"accuracy"}};
}

// Four shapes from 400 pictures: the trained base is saved without the head.
void train_base(const std::string& folder, const std::string& path) {
  make_folder(folder + "/many", {"disc", "ring", "square", "stripes"}, 100);
  Sequential base({Input({.shape = {size, size, 3}}),
                   Conv2D({.filters = 12, .kernel_size = 3, .activation = "relu"}), MaxPooling2D(),
                   Conv2D({.filters = 24, .kernel_size = 3, .activation = "relu"}), MaxPooling2D(),
                   Conv2D({.filters = 32, .kernel_size = 3, .activation = "relu"}),
                   GlobalMaxPooling2D()});
  Sequential model(
      {Input({.shape = {size, size, 3}}), base, Dense({.units = 4, .activation = "softmax"})});
  model.compile(settings());
  const auto plain = image::Transform().resize(size, size).rescale(1.0f / 127.5f, -1);
  const History history = model.fit(batches(folder + "/many", plain), {.epochs = 12, .verbose = 0});
  fmt::print("base: accuracy {:.3f} on 400 pictures of four shapes\n", history["accuracy"].back());
  base.save(path);
}

// Two shapes, distinguished after training on 24 pictures of each.
double train_head(const Model& base, const std::string& folder, const char* what) {
  set_random_seed(2);
  Sequential model({Input({.shape = {size, size, 3}}), base, Dropout({.rate = 0.2}),
                    Dense({.units = 2, .activation = "softmax"})});
  model.compile(settings());
  const auto plain = image::Transform().resize(size, size).rescale(1.0f / 127.5f, -1);
  const auto augmented = image::Transform()
                             .random_resized_crop(size, size, {.min_area = 0.8f})
                             .random_flip_left_right()
                             .random_brightness(0.1f)
                             .rescale(1.0f / 127.5f, -1);
  model.fit(batches(folder + "/few", augmented), {.epochs = 60, .verbose = 0});
  const double accuracy =
      model.evaluate(batches(folder + "/test", plain), {.verbose = 0})["accuracy"];
  fmt::print("{}: accuracy {:.3f} on 200 unseen pictures; {} weights train, {} do not\n", what,
             accuracy, model.trainable_variables().size(),
             model.network()->non_trainable_variables().size());
  return accuracy;
}

}  // namespace

int main(int count, char** arguments) try {
  const auto folder = count > 1 ? std::filesystem::path(arguments[1])
                                : std::filesystem::temp_directory_path() / "transfer_learning";
  set_random_seed(1);
  const std::string path = (folder / "base.keras").string();
  train_base(folder.string(), path);
  make_folder((folder / "few").string(), {"cross", "ring"}, 24);
  make_folder((folder / "test").string(), {"cross", "ring"}, 100);
  const Model base = load_model(path);
  base.network()->set_trainable(false);
  train_head(base, folder.string(), "frozen base, new head");
} catch (const Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
