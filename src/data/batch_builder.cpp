#include "data/batch_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/text/texts.h"

namespace stoker::data {
namespace {

// Strings are copied contiguously: a batch keeps no memory of what was read around them.
Array joined(const std::vector<Array>& rows, const Shape& row) {
  auto texts = std::make_shared<Texts>();
  for (const Array& array : rows)
    for (int64_t i = 0; i < array.size(); ++i) texts->add(array.text(i));
  return {std::move(texts), row.with_front(static_cast<int64_t>(rows.size()))};
}

// Prefetches the beginning of a long row; the hardware prefetcher does the rest.
void prefetch(const std::byte* row, size_t bytes) {
  constexpr size_t line = 64, most = 1024;
  for (size_t i = 0; i < std::min(bytes, most); i += line) __builtin_prefetch(row + i);
}

}  // namespace

BatchBuilder::BatchBuilder(const ElementSpec& like, int64_t rows, int64_t first,
                           BatchMemory& memory)
    : like_(like), rows_(rows), first_(first), memory_(memory) {
  for (const TensorSpec& array : like_.arrays) {
    const Shape shape = array.shape.with_front(rows);
    const TensorType type{array.dtype, shape};
    strings_.emplace_back(array.text ? static_cast<size_t>(rows) : 0);
    arrays_.push_back(
        array.text ? Array()
                   : Array(array.dtype, shape, memory.take(static_cast<size_t>(type.bytes()))));
    bases_.push_back(arrays_.back().mutable_raw());  // null for strings
    row_bytes_.push_back(static_cast<size_t>(TensorType{array.dtype, array.shape}.bytes()));
  }
}

bool BatchBuilder::expects(const ElementSpec& element) const { return element == like_; }

bool BatchBuilder::expects_rows_of(const Element& arrays) const {
  if (arrays.structure() != like_.structure) return false;
  for (size_t i = 0; i < like_.arrays.size(); ++i) {
    const Array& array = arrays.arrays()[i];
    const TensorSpec& row = like_.arrays[i];
    const auto& dims = array.shape().dims();
    if (array.dtype() != row.dtype || array.holds_strings() != row.text || dims.empty() ||
        !std::equal(dims.begin() + 1, dims.end(), row.shape.begin(), row.shape.end()))
      return false;
  }
  return true;
}

void BatchBuilder::put(int64_t r, const Element& element) {
  bool alike = element.structure() == like_.structure;
  for (size_t i = 0; alike && i < arrays_.size(); ++i)
    alike = spec_of(element.arrays()[i]) == like_.arrays[i];
  if (!alike) {
    const std::lock_guard lock(mutex_);
    others_.emplace(r, element);
    return;
  }
  for (size_t i = 0; i < arrays_.size(); ++i)
    if (like_.arrays[i].text)
      strings_[i][static_cast<size_t>(r)] = element.arrays()[i];
    else
      std::memcpy(bases_[i] + static_cast<size_t>(r) * row_bytes_[i], element.arrays()[i].raw(),
                  row_bytes_[i]);
}

std::vector<std::byte*> BatchBuilder::places(int64_t r) const {
  std::vector<std::byte*> places = bases_;
  for (size_t i = 0; i < places.size(); ++i) places[i] += static_cast<size_t>(r) * row_bytes_[i];
  return places;
}

// Rows are anywhere in memory: they are prefetched while earlier rows are copied.
void BatchBuilder::put_rows(int64_t r, const Element& arrays, std::span<const int64_t> numbers) {
  constexpr size_t ahead = 4;
  for (size_t a = 0; a < arrays_.size(); ++a) {
    if (like_.arrays[a].text) {
      for (size_t k = 0; k < numbers.size(); ++k)
        strings_[a][static_cast<size_t>(r) + k] =
            arrays.arrays()[a].rows(numbers[k], numbers[k] + 1);
      continue;
    }
    const size_t bytes = row_bytes_[a];
    const std::byte* const from = arrays.arrays()[a].raw();
    std::byte* const to = bases_[a] + static_cast<size_t>(r) * bytes;
    for (size_t k = 0; k < numbers.size(); ++k) {
      if (k + ahead < numbers.size())
        prefetch(from + static_cast<size_t>(numbers[k + ahead]) * bytes, bytes);
      std::memcpy(to + k * bytes, from + static_cast<size_t>(numbers[k]) * bytes, bytes);
    }
  }
}

Element BatchBuilder::row(int64_t r) const {
  if (const auto other = others_.find(r); other != others_.end()) return other->second;
  std::vector<Array> arrays;
  for (size_t a = 0; a < arrays_.size(); ++a)
    arrays.push_back(like_.arrays[a].text
                         ? strings_[a][static_cast<size_t>(r)]
                         : arrays_[a].rows(r, r + 1).reshape(like_.arrays[a].shape));
  return {like_.structure, std::move(arrays)};
}

// The batch in the type of its first row.
Element BatchBuilder::fitted() const {
  const auto other = others_.find(0);
  const ElementSpec like = other == others_.end() ? like_ : spec_of(other->second);
  BatchBuilder batch(like, rows_, first_, memory_);
  for (int64_t r = 0; r < rows_; ++r) batch.put(r, row(r));
  if (batch.as_expected()) return std::move(batch).finish();
  const auto& [r, unlike] = *batch.others_.begin();
  throw InvalidArgument(
      fmt::format("element {} is {}, but element {} is {}: they cannot be rows of one batch.",
                  first_ + r, to_string(spec_of(unlike)), first_, to_string(like)),
      "map all elements to one shape, or use padded_batch.");
}

Element BatchBuilder::finish() && {
  if (!as_expected()) return fitted();
  for (size_t a = 0; a < arrays_.size(); ++a)
    if (like_.arrays[a].text) arrays_[a] = joined(strings_[a], like_.arrays[a].shape);
  return {like_.structure, std::move(arrays_)};
}

}  // namespace stoker::data
