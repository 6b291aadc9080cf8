// Images per second of one core: images FILE... (JPEG or PNG).
#include <fmt/format.h>

#include <ctime>
#include <functional>

#include "io/images/crop_resize.h"
#include "io/images/random_crop.h"

namespace {

using namespace stoker;
using namespace stoker::images;

constexpr int64_t side = 224;

// Runs of body(i) per second of CPU time, which is little affected by other programs.
double per_second(const std::function<void(uint64_t)>& body) {
  const auto now = [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; };
  uint64_t count = 0;
  const auto run = [&](double seconds) {
    const double begin = now();
    const uint64_t before = count;
    while (now() - begin < seconds)
      for (int i = 0; i < 16; ++i) body(count++);
    return static_cast<double>(count - before) / (now() - begin);
  };
  run(0.2);
  return run(2);
}

class Bench {
 public:
  explicit Bench(std::vector<Blob> files) : files_(std::move(files)), row_(side * side * 3) {}

  void run() {
    print("decode whole", [&](uint64_t i) { decode_image(file(i), {.channels = 3}); });
    print("decode a random crop", [&](uint64_t i) {
      decode_region(file(i), {.box = box(i), .options = {.channels = 3}}, memory_.pixels);
    });
    print("random resized crop 224, flip, normalise",
          [&](uint64_t i) { decode_crop_resize(file(i), options(i), target(), memory_); });
    const Array image = decode_image(files_[0], {.channels = 3});
    print("resize alone: random resized crop 224, flip, normalise", [&](uint64_t i) {
      const CropResizeOptions o = options(i * files_.size());
      resize(pixels_of<uint8_t>(image), real(o.box), o.resize, o.normalization, target(),
             memory_.resize);
    });
    print("resize alone: the same, antialiased", [&](uint64_t i) {
      CropResizeOptions o = options(i * files_.size());
      o.resize.antialias = true;
      resize(pixels_of<uint8_t>(image), real(o.box), o.resize, o.normalization, target(),
             memory_.resize);
    });
  }

 private:
  void print(const char* what, const std::function<void(uint64_t)>& body) {
    fmt::print("{:>9.0f} images/s  {}\n", per_second(body), what);
  }
  const Blob& file(uint64_t i) const { return files_[i % files_.size()]; }
  Box box(uint64_t i) const {
    const ImageSize size = image_size(file(i));
    Random random(7, 0, i);
    return random_resized_crop(size.height, size.width, {}, random);
  }
  CropResizeOptions options(uint64_t i) const {
    CropResizeOptions options{.box = box(i)};
    options.resize.flip_left_right = i % 2 == 1;
    options.normalization = {{1 / 58.4f, 1 / 57.1f, 1 / 57.4f, 1}, {-2.12f, -2.04f, -1.80f, 0}};
    return options;
  }
  Pixels<float> target() { return {row_.data(), side, side, 3, side * 3}; }

  std::vector<Blob> files_;
  std::vector<float> row_;
  ImageMemory memory_;
};

}  // namespace

int main(int count, char** arguments) {
  std::vector<Blob> files;
  try {
    for (int i = 1; i < count; ++i) files.push_back(read_file(arguments[i]));
    if (files.empty()) throw InvalidArgument("no files given.", "images FILE...");
    Bench(std::move(files)).run();
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
