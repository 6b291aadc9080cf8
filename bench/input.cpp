// The rate of a dataset, in samples per second:
//   input images FOLDER SECONDS | input samples SECONDS | input records FILE SECONDS
// One line of JSON: {"per_s": …}. bench/bench_input.py runs it beside the peers.
#include <fmt/format.h>

#include <chrono>
#include <numeric>

#include "io/records/tfrecord_reader.h"
#include "stoker/stoker.h"

namespace {

using namespace stoker;

// Samples per second, after a warm-up of a tenth of the time.
double rate(const Dataset& endless, double seconds) {
  const auto now = [] { return std::chrono::steady_clock::now(); };
  const auto begin = now();
  auto counted_from = begin;
  int64_t samples = 0;
  for (const Element& batch : endless) {
    samples += batch.arrays()[0].length();
    const std::chrono::duration<double> passed = now() - begin;
    if (passed.count() < seconds / 10) samples = 0, counted_from = now();
    if (passed.count() >= seconds * 1.1) break;
  }
  return static_cast<double>(samples) / std::chrono::duration<double>(now() - counted_from).count();
}

Dataset images(const std::string& folder) {
  const auto transform =
      image::Transform().random_resized_crop(224, 224).random_flip_left_right().normalize(
          {123.675f, 116.28f, 103.53f}, {58.395f, 57.12f, 57.375f});
  const ImageDatasetArgs args{
      .labels = "none", .batch_size = std::nullopt, .seed = 1, .transform = transform};
  return image_dataset_from_directory(folder, args).dataset.repeat().batch(64);
}

Dataset samples() {
  Array rows(DType::uint8, {60000, 784});
  std::iota(rows.mutable_data<uint8_t>().begin(), rows.mutable_data<uint8_t>().end(), uint8_t{0});
  return Dataset::from_tensor_slices(rows).shuffle(60000).repeat().batch(32);
}

Dataset records(const std::string& file) {
  const auto begin = [file]() -> Dataset::Generator {
    return [reader = std::make_shared<TFRecordReader>(file)]() -> std::optional<Element> {
      std::string_view record;
      if (!reader->next(record)) return std::nullopt;
      Array bytes(DType::uint8, {static_cast<int64_t>(record.size())});
      std::copy(record.begin(), record.end(), bytes.mutable_data<uint8_t>().begin());
      return bytes;
    };
  };
  return Dataset::from_generator(begin, {.arrays = {{DType::uint8, {unknown}}}})
      .repeat()
      .batch(256);
}

Dataset dataset_of(const std::vector<std::string>& words) {
  if (words.size() == 3 && words[0] == "images") return images(words[1]);
  if (words.size() == 2 && words[0] == "samples") return samples();
  if (words.size() == 3 && words[0] == "records") return records(words[1]);
  throw InvalidArgument("unknown arguments.",
                        "input images FOLDER SECONDS, input samples SECONDS or input records FILE "
                        "SECONDS");
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  try {
    const Dataset dataset = dataset_of(words);
    fmt::print("{{\"per_s\": {:.1f}}}\n", rate(dataset, std::stod(words.back())));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
