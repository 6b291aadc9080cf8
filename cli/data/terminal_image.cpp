#include "terminal_image.h"

#include <fmt/format.h>

namespace stoker::cli {

std::string terminal_image(const Array& image) {
  const int64_t height = image.shape()[0], width = image.shape()[1];
  const auto pixels = image.data<uint8_t>();
  const auto color = [&](int64_t y, int64_t x) {
    const auto* p = &pixels[static_cast<size_t>((y * width + x) * 3)];
    return fmt::format("{};{};{}", p[0], p[1], p[2]);
  };
  std::string text;
  for (int64_t y = 0; y + 1 < height; y += 2) {
    for (int64_t x = 0; x < width; ++x)
      text += fmt::format("\033[38;2;{}m\033[48;2;{}m\u2580", color(y, x), color(y + 1, x));
    text += "\033[0m\n";
  }
  return text;
}

}  // namespace stoker::cli
