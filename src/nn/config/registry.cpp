#include "nn/config/registry.h"

#include "nn/config/own_classes.h"

namespace stoker::nn {
namespace {

// Suggests among all spellings; a list names each class once.
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
  // Keras exports this class under a name other than the one used for its layers' default names.
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

void ClassNames::add(const std::string& class_name, const std::vector<std::string>& aliases,
                     std::source_location place) {
  const auto own = [&](const std::string& name) {
    const auto [found, added] = names_.emplace(name, class_name);
    if (added) return;
    const std::source_location& other = places_.at(found->second);
    throw InvalidArgument(
        fmt::format("\"{}\" is registered twice: as class {} in {}:{} and as class {} in {}:{}.",
                    name, found->second, other.file_name(), other.line(), class_name,
                    place.file_name(), place.line()),
        "give one of them another name.");
  };
  own(class_name);
  places_.emplace(class_name, place);
  for (const auto& alias : aliases) own(alias);
  names_.emplace(to_snake_case(class_name), class_name);
}

const std::string& ClassNames::find(const std::string& name, const std::string& what) const {
  const auto found = names_.find(name);
  if (found != names_.end()) return found->second;
  const std::string own = own_named(name);  // "Scale" is short for "my_package>Scale"
  if (!own.empty() && names_.contains(own)) return names_.at(own);
  throw InvalidArgument(fmt::format("unknown {} \"{}\".", what, name), hint_for(name, names_));
}

}  // namespace stoker::nn
