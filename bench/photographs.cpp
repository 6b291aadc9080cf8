// Writes synthetic photographs, JPEG files of 500 x 375 in ten folders, one for each class:
// photographs FOLDER COUNT. They have large areas with a gradient, objects with edges and fine
// structure: noise alone would be far larger as a JPEG, a gradient alone far smaller.
#include <fmt/format.h>
#include <jpeglib.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <vector>

#include "core/on_threads.h"

namespace {

constexpr int width = 500, height = 375, classes = 10, quality = 90;

struct Disc {
  float x, y, radius;
  float colour[3];
};

class Photograph {
 public:
  explicit Photograph(unsigned seed) : draw_(seed) {
    for (float& value : corners_) value = uniform(40, 215);
    for (Disc& disc : discs_)
      disc = {uniform(0, width),
              uniform(0, height),
              uniform(8, 90),
              {uniform(0, 255), uniform(0, 255), uniform(0, 255)}};
    for (float& value : grain_) value = uniform(-12, 12);
  }
  std::vector<uint8_t> pixels() {
    std::vector<uint8_t> all(size_t{width} * height * 3);
    uint8_t* to = all.data();
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        const Disc* const disc = disc_at(static_cast<float>(x), static_cast<float>(y));
        const float grain = fine(x, y);
        for (int c = 0; c < 3; ++c) {
          const float value = disc ? disc->colour[c] : ground(x, y, c);
          *to++ = static_cast<uint8_t>(std::clamp(value + grain, 0.0f, 255.0f));
        }
      }
    return all;
  }

 private:
  float uniform(float low, float high) { return std::uniform_real_distribution(low, high)(draw_); }
  float ground(int x, int y, int c) const {
    const float u = static_cast<float>(x) / width, v = static_cast<float>(y) / height;
    const float* const corner = corners_ + 4 * c;
    return (1 - u) * ((1 - v) * corner[0] + v * corner[1]) +
           u * ((1 - v) * corner[2] + v * corner[3]);
  }
  const Disc* disc_at(float x, float y) const {
    const auto found = std::find_if(std::begin(discs_), std::end(discs_), [&](const Disc& disc) {
      const float right = x - disc.x, down = y - disc.y;
      return right * right + down * down < disc.radius * disc.radius;
    });
    return found == std::end(discs_) ? nullptr : found;
  }
  // Coarse grains of three pixels and fine ones of one.
  float fine(int x, int y) {
    const size_t coarse = static_cast<size_t>(y / 3) * 167 + static_cast<size_t>(x / 3);
    return grain_[coarse % std::size(grain_)] +
           static_cast<float>(draw_() % 1024) * (10.0f / 1024) - 5;
  }

  std::minstd_rand draw_;
  float corners_[12], grain_[20000];
  Disc discs_[25];
};

void write_jpeg(const std::string& path, std::vector<uint8_t> pixels) {
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (!file) throw std::runtime_error("cannot write " + path);
  jpeg_compress_struct jpeg;
  jpeg_error_mgr errors;
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  jpeg_stdio_dest(&jpeg, file);
  jpeg.image_width = width;
  jpeg.image_height = height;
  jpeg.input_components = 3;
  jpeg.in_color_space = JCS_RGB;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, quality, TRUE);
  jpeg_start_compress(&jpeg, TRUE);
  while (jpeg.next_scanline < jpeg.image_height) {
    JSAMPROW row = pixels.data() + size_t{jpeg.next_scanline} * width * 3;
    jpeg_write_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  std::fclose(file);
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 3) throw std::runtime_error("photographs FOLDER COUNT");
  const std::filesystem::path folder = arguments[1];
  for (int c = 0; c < classes; ++c) std::filesystem::create_directories(folder / std::to_string(c));
  stoker::on_threads(static_cast<size_t>(std::atoi(arguments[2])), [&](size_t i) {
    const auto path = folder / std::to_string(i % classes) / fmt::format("{:05}.jpg", i);
    write_jpeg(path, Photograph(static_cast<unsigned>(i) + 1).pixels());
  });
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
