#include "stoker/error.h"

#include <fmt/format.h>

namespace stoker {

Error::Error(std::string what, std::string hint)
    : std::runtime_error(what), message_(std::move(what)), hint_(std::move(hint)) {
  compose();
}

void Error::add_where(const std::string& where) {
  where_ = where_.empty() ? where : where_ + ", in " + where;
  compose();
}

void Error::set_hint(std::string hint) {
  hint_ = std::move(hint);
  compose();
}

void Error::compose() {
  full_ = message_;
  if (!where_.empty()) full_ += fmt::format(" At {}.", where_);
  if (!hint_.empty()) full_ += fmt::format(" Hint: {}", hint_);
}

std::string to_string(const std::source_location& where) {
  if (where.line() == 0) return "from its config";
  std::string_view file = where.file_name();
  if (auto slash = file.rfind('/'); slash != file.npos) file.remove_prefix(slash + 1);
  return fmt::format("{}:{}", file, where.line());
}

}  // namespace stoker
