#include "nn/registry.h"

namespace stoker::nn {

std::string to_snake_case(const std::string& class_name) {
  // Keras exports this class under another name than the one that its layers are named after.
  if (class_name == "GroupQueryAttention") return "grouped_query_attention";
  std::string out;
  const auto upper = [&](size_t i) {
    return std::isupper(static_cast<unsigned char>(class_name[i])) != 0;
  };
  const auto lower = [&](size_t i) {
    return i < class_name.size() && std::islower(static_cast<unsigned char>(class_name[i]));
  };
  for (size_t i = 0; i < class_name.size(); ++i) {
    if (i > 0 && upper(i) && (lower(i - 1) || lower(i + 1))) out += '_';
    out += static_cast<char>(std::tolower(static_cast<unsigned char>(class_name[i])));
  }
  return out;
}

}  // namespace stoker::nn
