#include "nn/saving/weight_mismatch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "stoker/error.h"

namespace stoker::nn {
namespace {
constexpr size_t most_named = 12;
}

std::string missing_in_file(const std::string& name, const TensorType& wanted) {
  return fmt::format("\"{}\" {} is not in the file", name, to_string(wanted));
}

std::string other_in_file(const std::string& name, const TensorType& wanted,
                          const TensorType& stored) {
  return fmt::format("\"{}\" is {} in the model, but {} in the file", name, to_string(wanted),
                     to_string(stored));
}

std::string only_in_file(const std::string& name, const TensorType& stored) {
  return fmt::format("\"{}\" {} is only in the file", name, to_string(stored));
}

bool is_index_below(const std::string& key, size_t count) {
  size_t index = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
  return error == std::errc() && end == key.data() + key.size() && index < count;
}

void refuse_weights(const std::string& file, const std::string& model,
                    std::vector<std::string> mismatches) {
  const size_t count = mismatches.size();
  if (count > most_named) {
    mismatches.resize(most_named);
    mismatches.push_back(fmt::format("and {} more", count - most_named));
  }
  throw InvalidArgument(fmt::format("the weights in \"{}\" do not fit model \"{}\": {}.", file,
                                    model, fmt::join(mismatches, "; ")),
                        "load them into the model that they were saved from.");
}

}  // namespace stoker::nn
