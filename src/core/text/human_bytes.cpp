#include "stoker/human_bytes.h"

#include <fmt/format.h>

namespace stoker {

std::string human_bytes(int64_t bytes) {
  static const char* units[] = {"B", "KB", "MB", "GB", "TB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit) value /= 1024;
  return fmt::format("{:.2f} {}", value, units[unit]);
}

}  // namespace stoker
