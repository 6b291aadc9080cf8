// The resident memory that a fit over a dataset adds to a process that has already trained the same
// model on arrays, compared with the datasets' account: dataset_memory [EPOCHS
// [cached|augmented|records|generator]]; without a name all four, each in a separate process.
// Fails if the resident memory grew from epochs 5 to 9 to the last five by more than the account
// did and 10 % of it, or if it is more than 10 % above the account.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "io/records/tfrecord_writer.h"
#include "stoker/contact_sheet.h"
#include "stoker/stoker.h"

namespace {

using namespace stoker;

constexpr int64_t images = 600, size = 128;

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

// The files as records, shuffled by a buffer, then parsed.
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
      Array image(DType::float32, {size, size, 3});
      std::ranges::fill(image.mutable_data<float>(), label);
      return Element{image, Array::from<float>({label}, {1})};
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
  Sequential model({Input({.shape = {size, size, 3}}), layers::AveragePooling2D({.pool_size = 16}),
                    layers::Flatten(), layers::Dense({.units = 1, .activation = "sigmoid"})});
  model.compile({.optimizer = "adam", .loss = "mse"});
  return model;
}

// The maximum over some epochs, sampled after every batch.
struct Most {
  int64_t resident = 0, account = 0;
  void look(int64_t baseline) {
    resident = std::max(resident, resident_bytes() - baseline);
    account = std::max(account, dataset_memory());
  }
};

// fit over arrays: the memory of the model, its steps and the kernels' threads.
void train_on_arrays(Sequential& model) {
  model.fit(Array(DType::float32, {64, size, size, 3}), Array(DType::float32, {64, 1}),
            {.batch_size = 32, .epochs = 3, .verbose = 0});
}

bool measure(const std::string& name, int64_t epochs) {
  const ImageFolder folder;
  auto model = classifier();
  train_on_arrays(model);
  const int64_t baseline = resident_bytes();
  const Dataset dataset = pipeline(name, folder.path());
  Most early, late;
  int64_t epoch = 0;
  const auto look = callbacks::LambdaCallback(
      {.on_epoch_begin = [&](int64_t begun, const Logs&) { epoch = begun; },
       .on_train_batch_end =
           [&](int64_t, const Logs&) {
             if (epoch >= 4 && epoch < 9) early.look(baseline);
             if (epoch >= epochs - 5) late.look(baseline);
           }});
  model.fit(dataset, {.epochs = epochs, .verbose = 0, .callbacks = {look}});
  const int64_t tolerated = late.account / 10;
  const bool steady = late.resident - late.account <= early.resident - early.account + tolerated;
  const bool true_account = late.resident <= late.account + tolerated;
  fmt::print("{:<10} {:>10.1f} {:>9.1f} {:>10.1f} {:>9.1f} {:>7.3f}{}{}\n", name,
             megabytes(early.resident), megabytes(early.account), megabytes(late.resident),
             megabytes(late.account),
             static_cast<double>(late.resident) / static_cast<double>(late.account),
             steady ? "" : "  grows", true_account ? "" : "  more than the account");
  return steady && true_account;
}

bool measure_apart(const std::string& name, int64_t epochs) {
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    const bool good = measure(name, epochs);
    std::fflush(stdout);
    ::_exit(good ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status == 0;
}

}  // namespace

int main(int count, char** arguments) try {
  const int64_t epochs = count > 1 ? std::atoll(arguments[1]) : 50;
  std::vector<std::string> names = {"cached", "augmented", "records", "generator"};
  if (count > 2) names = {arguments[2]};
  fmt::print(
      "MB, most of      epochs 5 to 9       the last five\n{:<10} {:>10} {:>9} {:>10} {:>9} "
      "{:>7}\n",
      "pipeline", "resident", "account", "resident", "account", "ratio");
  bool good = true;
  for (const std::string& name : names) good = measure_apart(name, epochs) && good;
  return good ? 0 : 1;
} catch (const Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
