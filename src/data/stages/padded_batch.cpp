#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "data/origins.h"

namespace stoker::data {
namespace {

// The shape of elements of a shape in a batch, where the one to pad to leaves dimensions open.
Shape padded(const Shape& shape, Shape to) {
  for (int axis = 0; axis < to.rank() && to.rank() == shape.rank(); ++axis)
    if (to[axis] == unknown) to[axis] = shape[axis];
  return to;
}

class PaddedBatch : public Stage {
 public:
  PaddedBatch(StageRef before, int64_t size, PaddedBatchArgs args,
              const std::source_location& created)
      : Stage("padded_batch", created),
        before_(std::move(before)),
        size_(size),
        args_(std::move(args)) {
    if (size_ < 1)
      throw InvalidArgument(
          fmt::format("{}: batch_size must be positive, got {}.", where(), size_));
  }
  std::vector<const Stage*> inputs() const override { return {before_.get()}; }
  int64_t cardinality() const override {
    const int64_t elements = before_->cardinality();
    if (!is_finite(elements)) return elements;
    return elements / size_ + (!args_.drop_remainder && elements % size_ != 0 ? 1 : 0);
  }
  std::optional<ElementSpec> spec() const override;
  int64_t batch_rows() const override { return size_; }
  std::unique_ptr<Cursor> open(const Opening& opening) const override;
  std::shared_ptr<const Indexed> index(const Opening& opening) const override {
    if (!opening.numbers_only) return nullptr;
    return numbered_batches(before_->index(opening), size_, args_.drop_remainder);
  }

  // `first`: the index of the first row's element.
  Element pad(const std::vector<Element>& rows, int64_t first) const;
  bool complete(size_t rows) const {
    return rows == static_cast<size_t>(size_) || (rows > 0 && !args_.drop_remainder);
  }
  int64_t size() const { return size_; }

 private:
  void check(const std::vector<Element>& rows, int64_t first) const;
  Shape shape_of(size_t array, const std::vector<Element>& rows) const;
  PaddingValue padding(size_t array, bool text, bool alone) const;

  StageRef before_;
  int64_t size_;
  PaddedBatchArgs args_;
};

// Nothing if the first batch must be made to know its shape.
std::optional<ElementSpec> PaddedBatch::spec() const {
  auto spec = before_->spec();
  const auto& shapes = args_.padded_shapes;
  if (!spec || (!shapes.empty() && shapes.size() != spec->arrays.size())) return std::nullopt;
  const int64_t elements = before_->cardinality();
  const bool all_full = args_.drop_remainder || elements == INFINITE_CARDINALITY ||
                        (is_finite(elements) && elements % size_ == 0);
  for (size_t a = 0; a < spec->arrays.size(); ++a) {
    Shape& shape = spec->arrays[a].shape;
    if (!shapes.empty()) shape = padded(shape, shapes[a]);
    if (!shape.is_known()) return std::nullopt;
    shape = shape.with_front(all_full ? size_ : unknown);
  }
  return spec;
}

void PaddedBatch::check(const std::vector<Element>& rows, int64_t first) const {
  const size_t arrays = rows[0].arrays().size(), shapes = args_.padded_shapes.size(),
               values = args_.padding_values.size();
  if (shapes > 0 && shapes != arrays)
    throw InvalidArgument(
        fmt::format("padded_shapes has {} shapes, but elements have {} arrays.", shapes, arrays),
        "give one for each array.");
  if (values > 1 && values != arrays)
    throw InvalidArgument(
        fmt::format("padding_values has {} values, but elements have {} arrays.", values, arrays),
        "give one for each array, or one for all.");
  for (size_t r = 1; r < rows.size(); ++r)
    if (rows[r].structure() != rows[0].structure())
      throw InvalidArgument(
          fmt::format("element {} is {}, but element {} is {}: they cannot be rows of one batch.",
                      first + static_cast<int64_t>(r), to_string(spec_of(rows[r])), first,
                      to_string(spec_of(rows[0]))),
          "map all elements to one structure.");
}

Shape PaddedBatch::shape_of(size_t array, const std::vector<Element>& rows) const {
  const Shape& first = rows[0].arrays()[array].shape();
  Shape shape = args_.padded_shapes.empty()
                    ? Shape(std::vector<int64_t>(static_cast<size_t>(first.rank()), unknown))
                    : args_.padded_shapes.at(array);
  std::vector<int64_t> longest(static_cast<size_t>(shape.rank()), 0);
  for (const Element& row : rows) {
    const Shape& has = row.arrays()[array].shape();
    if (has.rank() != shape.rank())
      throw InvalidArgument(fmt::format("array {} has shape {}, which cannot be padded to {}.",
                                        array, to_string(has), to_string(shape)));
    for (int axis = 0; axis < shape.rank(); ++axis) {
      if (shape[axis] != unknown && has[axis] > shape[axis])
        throw InvalidArgument(
            fmt::format("array {} of shape {} is larger than the padded shape {}.", array,
                        to_string(has), to_string(shape)),
            "give a larger padded_shapes, or cut the elements with map.");
      auto& most = longest[static_cast<size_t>(axis)];
      most = std::max(most, has[axis]);
    }
  }
  for (int axis = 0; axis < shape.rank(); ++axis)
    if (shape[axis] == unknown) shape[axis] = longest[static_cast<size_t>(axis)];
  return shape;
}

// That of the array, or what arrays of its kind are padded with.
PaddingValue PaddedBatch::padding(size_t array, bool text, bool alone) const {
  const PaddingValue nothing = text ? PaddingValue(std::string()) : PaddingValue(int64_t{0});
  if (args_.padding_values.empty()) return nothing;
  const bool for_all = args_.padding_values.size() == 1;
  const PaddingValue& given = for_all ? args_.padding_values[0] : args_.padding_values.at(array);
  if (std::holds_alternative<std::string>(given) == text) return given;
  const auto* const number = std::get_if<int64_t>(&given);
  if ((for_all && !alone) || (number && *number == 0)) return nothing;
  throw InvalidArgument(fmt::format("the padding value of array {} is {}, but the array has {}.",
                                    array, text ? "a number" : "a string",
                                    text ? "strings" : "numbers"));
}

// Calls copy(from, to, count) for every row of an array that is copied into the corner of a larger
// one.
template <class Copy>
void for_lines(const Shape& from, const Shape& into, const Copy& copy, int axis = 0,
               size_t from_at = 0, size_t to_at = 0) {
  if (axis >= into.rank() - 1) {
    copy(from_at, to_at, static_cast<size_t>(into.rank() == 0 ? 1 : from[-1]));
    return;
  }
  size_t from_step = 1, to_step = 1;
  for (int i = axis + 1; i < into.rank(); ++i) {
    from_step *= static_cast<size_t>(from[i]);
    to_step *= static_cast<size_t>(into[i]);
  }
  for (int64_t i = 0; i < from[axis]; ++i)
    for_lines(from, into, copy, axis + 1, from_at + static_cast<size_t>(i) * from_step,
              to_at + static_cast<size_t>(i) * to_step);
}

void copy_corner(const Array& from, std::byte* to, const Shape& into) {
  const size_t size = size_of(from.dtype());
  for_lines(from.shape(), into, [&](size_t from_at, size_t to_at, size_t count) {
    std::memcpy(to + to_at * size, from.raw() + from_at * size, count * size);
  });
}

Array padded_strings(const std::vector<Element>& rows, size_t array, const Shape& shape,
                     const std::string& padding) {
  const auto each = static_cast<size_t>(shape.size());
  std::vector<std::string> texts(rows.size() * each, padding);
  for (size_t r = 0; r < rows.size(); ++r) {
    const Array& row = rows[r].arrays().at(array);
    if (row.size() == 0) continue;
    for_lines(row.shape(), shape, [&](size_t from_at, size_t to_at, size_t count) {
      for (size_t i = 0; i < count; ++i)
        texts[r * each + to_at + i] = row.text(static_cast<int64_t>(from_at + i));
    });
  }
  return Array::strings(texts, shape.with_front(static_cast<int64_t>(rows.size())));
}

// Whether an integer type has this whole number.
bool has_number(DType dtype, double number) {
  switch (dtype) {
    case DType::boolean:
      return number == 0 || number == 1;
    case DType::uint8:
      return number >= 0 && number <= 255;
    case DType::int32:
      return number >= -0x1p31 && number < 0x1p31;
    default:
      return number >= -0x1p63 && number < 0x1p63;
  }
}

// A scalar of the type; refuses numbers that the type does not have.
Array padding_of(DType dtype, const PaddingValue& value) {
  const auto* const integer = std::get_if<int64_t>(&value);
  const Array given = integer ? Array::scalar(*integer) : Array::scalar(std::get<double>(value));
  if (given.at(0) == 0 || is_floating(dtype) || (integer && dtype == DType::int64))
    return given.astype(dtype);
  const double number = given.at(0);
  if (number == std::floor(number) && has_number(dtype, number))
    return given.astype(DType::int64).astype(dtype);
  throw InvalidArgument(fmt::format("the padding value {} is no {}.", number, name_of(dtype)),
                        "padding values must be of the arrays' types.");
}

Array filled(DType dtype, const Shape& shape, const PaddingValue& value) {
  Array array(dtype, shape);
  const Array one = padding_of(dtype, value);
  if (one.at(0) == 0) return array;
  for (int64_t i = 0; i < array.size(); ++i)
    std::memcpy(array.mutable_raw() + static_cast<size_t>(i) * one.bytes(), one.raw(), one.bytes());
  return array;
}

Element PaddedBatch::pad(const std::vector<Element>& rows, int64_t first) const {
  check(rows, first);
  std::vector<Array> arrays;
  for (size_t a = 0; a < rows[0].arrays().size(); ++a) {
    const Shape shape = shape_of(a, rows);
    const bool text = rows[0].arrays()[a].holds_strings();
    const PaddingValue value = padding(a, text, rows[0].arrays().size() == 1);
    if (text) {
      arrays.push_back(padded_strings(rows, a, shape, std::get<std::string>(value)));
      continue;
    }
    const DType dtype = rows[0].arrays()[a].dtype();
    Array batch = filled(dtype, shape.with_front(static_cast<int64_t>(rows.size())), value);
    for (size_t r = 0; r < rows.size(); ++r) {
      const Array& row = rows[r].arrays().at(a);
      if (row.dtype() != dtype || row.holds_strings())
        throw InvalidArgument(fmt::format("array {} is {} in one element and {} in another.", a,
                                          name_of(dtype), to_string(spec_of(row))));
      if (row.size() > 0) copy_corner(row, batch.mutable_raw() + r * batch.row_bytes(), shape);
    }
    arrays.push_back(batch);
  }
  return {rows[0].structure(), std::move(arrays)};
}

struct Padded : Cursor {
  Padded(const PaddedBatch& of, std::unique_ptr<Cursor> from, bool with_origins)
      : stage(of), before(std::move(from)), tracks_origins(with_origins) {}
  bool next(Element& batch) override {
    std::vector<Element> rows;
    origins.clear();
    Element row;
    while (static_cast<int64_t>(rows.size()) < stage.size() && before->next(row)) {
      if (tracks_origins) add_origins_of_row(*before, static_cast<int64_t>(rows.size()), origins);
      rows.push_back(std::move(row));
    }
    if (!stage.complete(rows.size())) return false;
    const int64_t number = batches++, first = number * stage.size();
    batch = call_for_element(stage, number, [&] { return stage.pad(rows, first); });
    return true;
  }
  void add_origins(std::vector<SampleOrigin>& to) const override {
    to.insert(to.end(), origins.begin(), origins.end());
  }
  const PaddedBatch& stage;
  std::unique_ptr<Cursor> before;
  const bool tracks_origins;
  std::vector<SampleOrigin> origins;  // of the rows
  int64_t batches = 0;
};

std::unique_ptr<Cursor> PaddedBatch::open(const Opening& opening) const {
  return std::make_unique<Padded>(*this, before_->open(opening), opening.tracks_origins);
}

}  // namespace
}  // namespace stoker::data

namespace stoker {

Dataset Dataset::padded_batch(int64_t batch_size, const PaddedBatchArgs& args,
                              const From& from) const {
  return Dataset(std::make_shared<data::PaddedBatch>(stage_, batch_size, args, from));
}

}  // namespace stoker
