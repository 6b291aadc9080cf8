#include "nn/training/ranks/data_digest.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/hash/fingerprint.h"
#include "data/feeds/dataset_feed.h"

namespace stoker::nn {
namespace {

void add_row(const Array& array, int64_t row, std::string& text) {
  const int64_t elements = array.size() / array.length();
  const auto width = array.row_bytes();
  if (array.holds_strings())
    for (int64_t i = row * elements; i < (row + 1) * elements; ++i)
      text.append(array.text(i)) += '\0';
  else
    text.append(reinterpret_cast<const char*>(array.raw()) + static_cast<size_t>(row) * width,
                width);
}

// All rows of a small array, some of a large one: hashing those could take seconds.
std::string rows_of(const std::vector<Array>& arrays) {
  constexpr int64_t most_rows = 256, most_bytes = 16 << 20;
  std::string rows;
  for (const Array& array : arrays) {
    const auto width = std::max<int64_t>(1, static_cast<int64_t>(array.row_bytes()));
    const int64_t fit = std::max<int64_t>(1, most_bytes / width);
    const int64_t count = array.length() <= fit ? array.length() : std::min(fit, most_rows);
    for (int64_t i = 0; i < count; ++i) add_row(array, array.length() * i / count, rows);
  }
  return rows;
}

// Without the folder that all are in, which may differ between machines.
Array without_folder(const Array& paths) {
  std::vector<std::string> names = paths.texts();
  std::string_view same = names.at(0);
  for (const std::string& name : names)
    same =
        same.substr(0, static_cast<size_t>(std::ranges::mismatch(same, name).in1 - same.begin()));
  const size_t folder = same.rfind('/') + 1;  // 0 if there is none
  for (std::string& name : names) name.erase(0, folder);
  return Array::strings(names, paths.shape());
}

std::string rows_of(const data::RowsInOrder& rows) {
  std::vector<Array> arrays = rows.arrays.arrays();
  if (rows.of_files) arrays[0] = without_folder(arrays[0]);
  return rows_of(arrays);
}

// Names without folders, which may differ between machines, and sizes.
std::string describe_files(const std::vector<std::string>& paths) {
  std::string text;
  for (const std::string& path : paths) {
    std::error_code unreadable;
    const auto bytes = std::filesystem::file_size(path, unreadable);
    text += fmt::format("{}:{};", std::filesystem::path(path).filename().string(),
                        unreadable ? 0 : bytes);
  }
  return text;
}

std::string contents_of(const data::Stage& stage) {
  if (const auto rows = stage.rows_in_order(); rows && stage.inputs().empty())
    return rows_of(*rows);
  std::string text =
      fmt::format("{}({};{};{}", stage.name(), stage.cardinality(), stage.identity().value_or(""),
                  describe_files(stage.files_in_turn()));
  for (const data::Stage* input : stage.inputs()) text += contents_of(*input);
  return text + ")";
}

std::string contents_of(const RunData& data) {
  const auto* const dataset = dynamic_cast<const data::DatasetSource*>(data.source.get());
  if (dataset) return contents_of(*dataset->dataset.stage());
  return data.columns ? rows_of(data.columns->arrays) : "";
}

}  // namespace

std::string describe(const RunData& data, const data::FeedPlan& plan, int64_t batch_size) {
  std::string text = plan.samples > 0 ? fmt::format("{} samples", plan.samples)
                                      : fmt::format("{} batches", plan.known_batches);
  if (const int64_t rows = plan.batch_size(batch_size); rows != AUTO)
    text += fmt::format(" in batches of {}", rows);
  for (TensorType column : plan.columns) {
    column.shape[0] = unknown;
    text += fmt::format(", {}", to_string(column));
  }
  return text + fmt::format(" with the digest {:016x}", fingerprint64(contents_of(data)));
}

}  // namespace stoker::nn
