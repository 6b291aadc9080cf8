#include "recipe/output_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "stoker/say.h"

namespace stoker::nn {

void OutputFiles::write(const std::string& path, const std::function<void()>& write) {
  try {
    write();
  } catch (const IoError& error) {
    return add_failure(path, error);
  }
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) add(path);
}

void OutputFiles::add(const std::string& path) {
  const std::lock_guard lock(mutex_);
  failed_.erase(path);
  if (std::ranges::find(written_, path) == written_.end()) written_.push_back(path);
}

void OutputFiles::add_failure(const std::string& path, const IoError& error) {
  const std::lock_guard lock(mutex_);
  failed_[path] = error.what();
  if (std::exchange(reported_, true)) return;
  say(stderr, fmt::format("train: {} Training continues, and later writes are tried.{}\n",
                          error.message(), error.hint().empty() ? "" : " Hint: " + error.hint()));
}

std::vector<std::string> OutputFiles::names() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> sorted;
  for (const auto& path : written_)
    sorted.push_back(std::filesystem::path(path).filename().string());
  std::ranges::sort(sorted);
  return sorted;
}

bool OutputFiles::has_written(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::find(written_, path) != written_.end();
}

std::string OutputFiles::why_failed(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  const auto found = failed_.find(path);
  return found == failed_.end() ? "" : found->second;
}

}  // namespace stoker::nn
