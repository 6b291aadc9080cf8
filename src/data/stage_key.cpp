#include "data/stage_key.h"

#include <fmt/format.h>

#include "core/hash/fingerprint.h"

namespace stoker::data {
namespace {

bool describe(const Stage& stage, std::string& text) {
  const auto identity = stage.identity();
  if (!identity) return false;
  text += fmt::format("{}({};{};{}", stage.name(), to_string(stage.created()), stage.cardinality(),
                      *identity);
  for (const Stage* input : stage.inputs())
    if (!describe(*input, text)) return false;
  text += ')';
  return true;
}

}  // namespace

std::optional<std::string> key_of(const Stage& stage) {
  std::string text;
  if (!describe(stage, text)) return std::nullopt;
  return fmt::format("{:016x}", fingerprint64(text));
}

}  // namespace stoker::data
