#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "data/open/source_kind.h"
#include "stoker/suggest.h"

namespace stoker::data {
namespace {

// Numbers stacked to one float32 vector; for a batch, one per row.
Array stacked(const std::vector<Array>& columns, bool batched) {
  const int64_t rows = batched ? columns[0].length() : 1;
  std::vector<int64_t> widths;
  int64_t width = 0;
  for (const Array& column : columns) {
    widths.push_back(column.size() / std::max<int64_t>(rows, 1));
    width += widths.back();
  }
  Array all(DType::float32, batched ? Shape{rows, width} : Shape{width});
  auto out = all.mutable_data<float>();
  int64_t begin = 0;
  for (size_t i = 0; i < columns.size(); begin += widths[i++]) {
    const Array numbers = columns[i].astype(DType::float32);
    const auto from = numbers.data<float>();
    for (int64_t row = 0; row < rows; ++row)
      std::copy_n(from.begin() + row * widths[i], widths[i], out.begin() + row * width + begin);
  }
  return all;
}

void refuse_string(const TensorSpec& column, const std::string& name, const std::string& path) {
  if (column.text)
    throw InvalidArgument(
        fmt::format("column \"{}\" of \"{}\" holds strings, which cannot be part of a vector.",
                    name, path),
        "the model needs an Input of strings of that name, and one for each other column; or "
        "leave the column out.");
}

const std::vector<std::string>& usual_targets() {
  static const std::vector<std::string> names{"label", "target", "class",
                                              "y",     "labels", "image/class/label"};
  return names;
}

}  // namespace

std::string target_among(const std::vector<std::string>& names, const std::string& path,
                         const OpenDatasetArgs& args) {
  const auto there = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (!args.target.empty() && !there(args.target))
    throw InvalidArgument(fmt::format("\"{}\" has no column \"{}\", only {}.", path, args.target,
                                      fmt::join(names, ", ")),
                          did_you_mean(args.target, names));
  if (!args.target.empty()) return args.target;
  const auto found = std::find_if(usual_targets().begin(), usual_targets().end(), there);
  if (found != usual_targets().end()) return *found;
  if (args.needs_target)
    throw InvalidArgument(
        fmt::format("\"{}\" has no column label, target, class or y to predict, only {}.", path,
                    fmt::join(names, ", ")),
        "say which it is: target (--target).");
  return "";
}

Dataset with_target(const Dataset& tables, const std::string& path, const OpenDatasetArgs& args) {
  const ElementSpec spec = tables.element_spec();
  const auto& names = spec.structure.names();
  const std::string target = target_among(names, path, args);
  std::vector<size_t> columns;
  size_t label = names.size();
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == target)
      label = i;
    else
      columns.push_back(i);
  }
  if (columns.empty())
    throw InvalidArgument(fmt::format("\"{}\" has no column besides \"{}\".", path, target));
  const bool batched = args.batch_size.has_value(), vector = !args.by_name && columns.size() > 1;
  if (vector)
    for (const size_t i : columns) refuse_string(spec.arrays[i], names[i], path);
  return tables.map(
      [=](const Element& row) {
        std::vector<Array> x;
        for (const size_t i : columns) x.push_back(row.arrays()[i]);
        std::vector<std::pair<std::string, Element>> parts;
        for (size_t i = 0; i < columns.size() && !vector; ++i)
          parts.emplace_back(row.structure().names()[columns[i]], x[i]);
        const Element all = vector         ? Element(stacked(x, batched))
                            : args.by_name ? Element::table(parts)
                                           : Element(x[0]);
        return label < row.arrays().size() ? Element::tuple({all, row.arrays()[label]}) : all;
      },
      {.num_parallel_calls = AUTOTUNE});
}

Dataset with_one_x(const Dataset& samples, const std::string& path, const OpenDatasetArgs& args) {
  const ElementSpec spec = samples.element_spec();
  const bool alone = spec.structure.is_table();
  const bool before = spec.structure.is_tuple() && spec.structure.parts().size() == 2 &&
                      spec.structure.parts()[0].is_table();
  if (args.by_name || (!alone && !before)) return samples;
  const Structure& table = alone ? spec.structure : spec.structure.parts()[0];
  const size_t width = table.arrays();
  if (width > 1)
    for (size_t i = 0; i < width; ++i) refuse_string(spec.arrays[i], table.names()[i], path);
  return samples.map(
      [=](const Element& sample) {
        const std::vector<Array> columns(sample.arrays().begin(),
                                         sample.arrays().begin() + static_cast<int64_t>(width));
        const Element x = width == 1 ? columns[0] : stacked(columns, false);
        return alone ? x : Element::tuple({x, sample[1]});
      },
      {.num_parallel_calls = AUTOTUNE});
}

}  // namespace stoker::data
