#include "nn/callbacks/checkpoint_folder.h"

#include <fmt/format.h>

#include <filesystem>

#include "core/main_process.h"
#include "io/crc32c.h"
#include "io/verify_checksums.h"
#include "nn/callbacks/position_config.h"
#include "stoker/say.h"

namespace stoker::nn {
namespace {

namespace fs = std::filesystem;

constexpr const char* position_key = "position";
constexpr const char* checksum_key = "checksum";
const std::string of_callbacks = "callbacks/";

// Over everything that is read from the file.
std::string checksum_of(const std::string& position, const NamedArrays& arrays) {
  uint32_t sum = crc32c(std::as_bytes(std::span(position)));
  for (const auto& [name, array] : arrays) {
    const std::string header = fmt::format("{} {}", name, to_string(array.type()));
    sum = crc32c(std::as_bytes(std::span(header)), sum);
    sum = crc32c({array.raw(), array.bytes()}, sum);
  }
  return fmt::format("{:08x}", sum);
}

void add_arrays(const CallbackStates& states, NamedArrays& arrays) {
  for (const auto& [name, state] : states)
    for (size_t i = 0; i < state.arrays.size(); ++i)
      arrays.emplace_back(fmt::format("{}{}/{}", of_callbacks, name, i), state.arrays[i]);
}

// Moves the callbacks' arrays back into their states, in the order in which they were added.
NamedArrays take_arrays(const NamedArrays& all, CallbackStates& states) {
  NamedArrays rest;
  for (const auto& [name, array] : all) {
    if (!name.starts_with(of_callbacks)) {
      rest.emplace_back(name, array);
      continue;
    }
    const size_t end = name.rfind('/');
    states[name.substr(of_callbacks.size(), end - of_callbacks.size())].arrays.push_back(array);
  }
  return rest;
}

}  // namespace

Checkpoint checkpoint_of(const SafeTensors& file) {
  const auto position = file.metadata.find(position_key), sum = file.metadata.find(checksum_key);
  if (position == file.metadata.end() || sum == file.metadata.end())
    throw IoError("it has no position or no checksum.");
  const std::string found = checksum_of(position->second, file.tensors);
  if (verify_checksums && found != sum->second)
    throw IoError(fmt::format("its checksum is {}, but its content has {}.", sum->second, found));
  Checkpoint checkpoint{{}, position_of(parse_json(position->second))};
  checkpoint.states = take_arrays(file.tensors, checkpoint.at.callbacks);
  return checkpoint;
}

bool CheckpointFolder::holds_any() const { return fs::exists(latest()) || fs::exists(previous()); }

void CheckpointFolder::write(const Checkpoint& checkpoint) const {
  NamedArrays arrays = checkpoint.states;
  add_arrays(checkpoint.at.callbacks, arrays);
  const std::string position = to_config(checkpoint.at).to_string();
  keep_latest();
  save_safetensors(latest(), arrays,
                   {{position_key, position}, {checksum_key, checksum_of(position, arrays)}});
}

// A hard link keeps the previous file before the new one replaces it: a complete file exists at any
// time.
void CheckpointFolder::keep_latest() const {
  if (!fs::exists(latest())) return;
  std::error_code error;
  fs::remove(previous(), error);
  fs::create_hard_link(latest(), previous(), error);
  if (error && !fs::copy_file(latest(), previous(), error))  // the file system has no hard links
    throw IoError(
        fmt::format("cannot copy \"{}\" to \"{}\": {}.", latest(), previous(), error.message()));
}

std::optional<CheckpointFolder::Found> CheckpointFolder::read() const {
  std::string problems;
  for (const std::string& path : {latest(), previous()}) {
    if (!fs::exists(path)) continue;
    try {
      Found found{checkpoint_of(load_safetensors(path)), path};
      if (!problems.empty()) say(stderr, problems + " The checkpoint before it is used.\n");
      return found;
    } catch (const Error& error) {
      problems += fmt::format("{}\"{}\" is damaged: {}", problems.empty() ? "" : " ", path,
                              error.message());
    }
  }
  if (problems.empty()) return std::nullopt;
  throw IoError(problems, fmt::format("there is no other checkpoint; remove \"{}\" to train from "
                                      "the start.",
                                      path_));
}

void CheckpointFolder::remove() const {
  if (!is_main_process()) return;
  std::error_code ignored;
  fs::remove(latest(), ignored);
  fs::remove(previous(), ignored);
  fs::remove(path_, ignored);
}

}  // namespace stoker::nn
