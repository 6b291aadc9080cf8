#include "data/sources/record_files.h"

#include <fmt/format.h>

#include <filesystem>

#include "data/sources/slices.h"

namespace stoker::data {

void check_files(const std::vector<std::string>& files, const char* doing) {
  if (files.empty()) throw InvalidArgument(fmt::format("{}: no file given.", doing));
  for (const std::string& file : files) {
    std::error_code failed;
    const auto status = std::filesystem::status(file, failed);
    if (std::filesystem::exists(status) && !std::filesystem::is_directory(status)) continue;
    throw IoError(fmt::format("{}: \"{}\" {}.", doing, file,
                              std::filesystem::is_directory(status) ? "is a folder, not a file"
                                                                    : "is not there"),
                  "patterns such as *.tfrecord are for Dataset::list_files.");
  }
}

Dataset read_files(const std::vector<std::string>& files, const ReadOrder& order,
                   const std::function<Dataset(const std::vector<std::string>&)>& some,
                   const std::source_location& created) {
  const int64_t reads = order.num_parallel_reads;
  if (reads < 1 && reads != AUTOTUNE)
    throw InvalidArgument(
        fmt::format("num_parallel_reads must be positive or AUTOTUNE, got {}.", reads));
  const auto count = static_cast<int64_t>(files.size());
  if (count == 1 || (reads == 1 && !order.shuffle)) return some(files);
  Dataset names = slices_of_files(Array::strings(files, Shape{count}), created);
  if (order.shuffle) names = names.shuffle(count, {.seed = order.seed}, created);
  const auto one = [=](const Array& name) { return some({std::string(name.text())}); };
  return names.interleave(
      one, {.cycle_length = reads, .num_parallel_calls = reads == 1 ? 0 : reads}, created);
}

}  // namespace stoker::data
