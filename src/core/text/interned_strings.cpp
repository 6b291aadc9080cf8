#include "core/text/interned_strings.h"

#include <mutex>
#include <unordered_map>

#include "core/hash/fingerprint.h"

namespace stoker {
namespace {

struct Table {
  std::mutex mutex;
  std::unordered_map<int64_t, std::string> texts;
};
Table& table() {
  static Table one;
  return one;
}

}  // namespace

int64_t id_of_text(std::string_view text) {
  const auto id = static_cast<int64_t>(fingerprint64(text));
  const std::lock_guard lock(table().mutex);
  table().texts.try_emplace(id, text);
  return id;
}

std::optional<std::string> text_of_id(int64_t id) {
  const std::lock_guard lock(table().mutex);
  const auto found = table().texts.find(id);
  if (found == table().texts.end()) return std::nullopt;
  return found->second;
}

}  // namespace stoker
