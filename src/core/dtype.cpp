#include "stoker/dtype.h"

#include <fmt/format.h>

#include <array>

#include "stoker/error.h"
#include "stoker/suggest.h"

namespace stoker {
namespace {
struct Info {
  std::string_view name;
  size_t size;
};
constexpr std::array<Info, num_dtypes> infos{{{"float32", 4},
                                              {"float64", 8},
                                              {"float16", 2},
                                              {"bfloat16", 2},
                                              {"int8", 1},
                                              {"int32", 4},
                                              {"int64", 8},
                                              {"uint8", 1},
                                              {"bool", 1}}};
}  // namespace

size_t size_of(DType dtype) { return infos[static_cast<size_t>(dtype)].size; }
std::string_view name_of(DType dtype) { return infos[static_cast<size_t>(dtype)].name; }

DType parse_dtype(std::string_view name) {
  std::vector<std::string> known;
  for (size_t i = 0; i < infos.size(); ++i) {
    if (infos[i].name == name) return static_cast<DType>(i);
    known.emplace_back(infos[i].name);
  }
  throw InvalidArgument(fmt::format("unknown dtype \"{}\".", name), did_you_mean(name, known));
}

bool is_floating(DType dtype) {
  return static_cast<int>(dtype) <= static_cast<int>(DType::bfloat16);
}
bool is_integer(DType dtype) { return !is_floating(dtype) && dtype != DType::boolean; }

}  // namespace stoker
