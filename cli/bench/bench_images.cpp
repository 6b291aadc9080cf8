#include "bench_images.h"

#include <algorithm>
#include <chrono>

#include "stoker/image_dataset.h"

namespace stoker::cli {
namespace {

constexpr double enough_seconds = 12;
constexpr int64_t first_steps = 12;  // compile, and tune the pipeline

}  // namespace

ImagesResult measure_images(const BenchCase& bench_case, const std::string& folder) {
  Sequential model = make_bench_model(bench_case.name, bench_case.precision);
  const Shape sample = make_bench_data(bench_case.name, 1).x[0].shape();
  const auto transform =
      image::Transform().random_resized_crop(sample[1], sample[2]).random_flip_left_right();
  const Dataset dataset =
      image_dataset_from_directory(folder, {.batch_size = {}, .seed = 1, .transform = transform})
          .dataset.repeat()
          .batch(bench_case.batch);
  const auto seconds = [&](int64_t steps) {
    const auto begin = std::chrono::steady_clock::now();
    model.fit(dataset, {.verbose = 0, .steps_per_epoch = steps});
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  seconds(first_steps);
  const double guess = seconds(first_steps) / first_steps;
  ImagesResult result;
  result.steps = std::max<int64_t>(first_steps, static_cast<int64_t>(enough_seconds / guess));
  result.us = seconds(result.steps) / static_cast<double>(result.steps) * 1e6;
  result.images_per_second = static_cast<double>(bench_case.batch) / result.us * 1e6;
  result.account = model.account();
  return result;
}

}  // namespace stoker::cli
