#include "nn/registry.h"

namespace stoker::nn {
namespace {

// Any spelling may have been meant; a list has each class once, under its own name.
std::string hint_for(const std::string& name, const std::map<std::string, std::string>& names) {
  std::vector<std::string> spellings, classes;
  for (const auto& [spelling, class_name] : names) {
    spellings.push_back(spelling);
    if (spelling == class_name) classes.push_back(class_name);
  }
  const std::string near = nearest(name, spellings);
  return did_you_mean(name, near.empty() ? classes : std::vector{near});
}

}  // namespace

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

void ClassNames::add(const std::string& class_name, const std::vector<std::string>& aliases) {
  names_[class_name] = class_name;
  names_.try_emplace(to_snake_case(class_name), class_name);
  for (const auto& alias : aliases) names_[alias] = class_name;
}

const std::string& ClassNames::find(const std::string& name, const std::string& what) const {
  const auto found = names_.find(name);
  if (found != names_.end()) return found->second;
  throw InvalidArgument(fmt::format("unknown {} \"{}\".", what, name), hint_for(name, names_));
}

}  // namespace stoker::nn
