// The resident memory of a fit over a dataset at its 5th and at its last epoch, and what datasets
// have on their account: dataset_memory [EPOCHS [cached|augmented|records|generator]]. Fails if it
// grew, beyond the account, by more than 4 MB.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "io/records/tfrecord_writer.h"
#include "stoker/contact_sheet.h"
#include "stoker/stoker.h"

namespace {

using namespace stoker;

constexpr int64_t images = 600, size = 64;

double megabytes(int64_t bytes) { return static_cast<double>(bytes) / 1e6; }
int64_t resident_bytes() {
  int64_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * 4096;
}

class ImageFolder {
 public:
  ImageFolder() {
    Random random(1);
    for (int64_t i = 0; i < images; ++i) {
      Array image(DType::uint8, {size, size, 3});
      for (uint8_t& pixel : image.mutable_data<uint8_t>())
        pixel = static_cast<uint8_t>(random.uniform() * 255);
      const auto folder = path_ / (i % 2 == 0 ? "even" : "odd");
      std::filesystem::create_directories(folder);
      save_png((folder / fmt::format("{}.png", i)).string(), image);
    }
  }
  ~ImageFolder() { std::filesystem::remove_all(path_); }
  ImageFolder(const ImageFolder&) = delete;
  ImageFolder& operator=(const ImageFolder&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / fmt::format("dataset_memory_{}", ::getpid());
};

// Decoded once; flipped in every epoch.
Dataset cached(const std::string& folder) {
  return image_dataset_from_directory(
             folder, {.batch_size = std::nullopt, .image_size = {size, size}, .shuffle = false})
      .dataset.cache()
      .shuffle(images)
      .map([](const Array& image, const Array& label, Random& random) {
        return std::pair(image::random_flip_left_right(image, random), label);
      })
      .batch(32);
}

// Decoded, cropped and flipped in every epoch.
Dataset augmented(const std::string& folder) {
  const auto transform = image::Transform()
                             .random_resized_crop(size, size)
                             .random_flip_left_right()
                             .rescale(1 / 255.f);
  return image_dataset_from_directory(folder, {.batch_size = 32, .transform = transform}).dataset;
}

// The files as records, which a buffer shuffles, parsed behind it.
Dataset records(const std::string& folder) {
  const std::string path = folder + "/images.tfrecord";
  TFRecordWriter writer(path);
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder))
    if (file.path().extension() == ".png") {
      std::ifstream stream(file.path(), std::ios::binary);
      writer.write(std::string(std::istreambuf_iterator<char>(stream), {}));
    }
  writer.close();
  return TFRecordDataset({path})
      .shuffle(images / 2)
      .map([](const Array& file) {
        const std::string_view text = file.text();
        Array bytes(DType::uint8, {static_cast<int64_t>(text.size())});
        std::copy(text.begin(), text.end(), bytes.mutable_data<uint8_t>().begin());
        return std::pair(image::decode_image(bytes).astype(DType::float32),
                         Array::from<float>({1}, {1}));
      })
      .batch(32);
}

Dataset generated() {
  const auto begin = []() -> Dataset::Generator {
    return [i = int64_t{0}]() mutable -> std::optional<Element> {
      if (i == images) return std::nullopt;
      const auto label = static_cast<float>(i++ % 2);
      return Element{Array(DType::float32, {size, size, 3}), Array::from<float>({label}, {1})};
    };
  };
  const ElementSpec spec{Structure::tuple({{}, {}}),
                         {{DType::float32, {size, size, 3}}, {DType::float32, {1}}}};
  return Dataset::from_generator(begin, spec).shuffle(images / 2).batch(32);
}

Dataset pipeline(const std::string& name, const std::string& folder) {
  if (name == "cached") return cached(folder);
  if (name == "augmented") return augmented(folder);
  if (name == "records") return records(folder);
  if (name == "generator") return generated();
  throw InvalidArgument(fmt::format("there is no pipeline \"{}\".", name),
                        "cached, augmented, records or generator.");
}

Sequential classifier() {
  Sequential model({Input({.shape = {size, size, 3}}), layers::AveragePooling2D({.pool_size = 8}),
                    layers::Flatten(), layers::Dense({.units = 1, .activation = "sigmoid"})});
  model.compile({.optimizer = "adam", .loss = "mse"});
  return model;
}

}  // namespace

int main(int count, char** arguments) try {
  const int64_t epochs = count > 1 ? std::atoll(arguments[1]) : 50;
  const ImageFolder folder;
  const Dataset dataset = pipeline(count > 2 ? arguments[2] : "cached", folder.path());
  std::vector<int64_t> beside;  // the account
  const auto look = callbacks::LambdaCallback({.on_epoch_end = [&](int64_t epoch, const Logs&) {
    if (epoch != 4 && epoch != epochs - 1) return;
    const int64_t resident = resident_bytes(), account = dataset_memory();
    beside.push_back(resident - account);
    fmt::print("epoch {:>3}: resident {:.1f} MB, datasets' account {:.1f} MB\n", epoch + 1,
               megabytes(resident), megabytes(account));
  }});
  auto model = classifier();
  model.fit(dataset, {.epochs = epochs, .verbose = 0, .callbacks = {look}});
  for (const StageStatistics& stage : model.input_statistics().stages)
    if (stage.held_bytes > 0)
      fmt::print("  {} holds {:.1f} MB\n", stage.name, megabytes(stage.held_bytes));
  return beside.size() == 2 && beside[1] > beside[0] + 4'000'000 ? 1 : 0;
} catch (const Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
