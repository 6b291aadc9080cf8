#include "stoker/array.h"

#include <fmt/format.h>

#include <cstring>

#include "core/half.h"
#include "core/memory/counted.h"
#include "core/text/texts.h"

namespace stoker {
namespace {

std::shared_ptr<const std::byte> allocate(size_t bytes) {
  const bool counted = InPipeline::here();
  const HostBlock block = take_host(bytes, counted);
  if (!block.memory)
    throw OutOfMemory(fmt::format("cannot allocate {} bytes of host memory.", bytes));
  if (!block.cleared) std::memset(block.memory, 0, bytes);
  return {block.memory, [=](const std::byte*) { give_host(block.memory, bytes, counted); }};
}

template <class T>
double load_as_double(const std::byte* bytes, int64_t i) {
  T value;
  std::memcpy(&value, bytes + static_cast<size_t>(i) * sizeof(T), sizeof(T));
  return static_cast<double>(value);
}

double load(DType dtype, const std::byte* bytes, int64_t i) {
  uint16_t half = 0;
  switch (dtype) {
    case DType::float32:
      return load_as_double<float>(bytes, i);
    case DType::float64:
      return load_as_double<double>(bytes, i);
    case DType::int8:
      return load_as_double<int8_t>(bytes, i);
    case DType::int32:
      return load_as_double<int32_t>(bytes, i);
    case DType::int64:
      return load_as_double<int64_t>(bytes, i);
    case DType::uint8:
    case DType::boolean:
      return load_as_double<uint8_t>(bytes, i);
    case DType::float16:
    case DType::bfloat16:
      std::memcpy(&half, bytes + 2 * i, 2);
  }
  return dtype == DType::float16 ? float16_to_float(half) : bfloat16_to_float(half);
}

template <class T>
void store_as(std::byte* bytes, int64_t i, double value) {
  const T converted = static_cast<T>(value);
  std::memcpy(bytes + static_cast<size_t>(i) * sizeof(T), &converted, sizeof(T));
}

void store(DType dtype, std::byte* bytes, int64_t i, double value) {
  switch (dtype) {
    case DType::float32:
      return store_as<float>(bytes, i, value);
    case DType::float64:
      return store_as<double>(bytes, i, value);
    case DType::int8:
      return store_as<int8_t>(bytes, i, value);
    case DType::int32:
      return store_as<int32_t>(bytes, i, value);
    case DType::int64:
      return store_as<int64_t>(bytes, i, value);
    case DType::uint8:
      return store_as<uint8_t>(bytes, i, value);
    case DType::boolean:
      return store_as<uint8_t>(bytes, i, value != 0);
    case DType::float16:
    case DType::bfloat16:
      break;
  }
  const auto f = static_cast<float>(value);
  const uint16_t half = dtype == DType::float16 ? float_to_float16(f) : float_to_bfloat16(f);
  std::memcpy(bytes + 2 * i, &half, 2);
}

}  // namespace

Array::Array(DType dtype, Shape shape) : type_{dtype, std::move(shape)}, data_(allocate(bytes())) {}
Array::Array(DType dtype, Shape shape, std::shared_ptr<const std::byte> bytes)
    : type_{dtype, std::move(shape)}, data_(std::move(bytes)) {}

Array::Array(std::shared_ptr<const Texts> texts, Shape shape)
    : type_{DType::int64, std::move(shape)}, texts_(std::move(texts)) {
  if (texts_->size() != static_cast<size_t>(size()))
    throw InvalidArgument(
        fmt::format("{} strings for shape {}.", texts_->size(), to_string(this->shape())));
}

Array Array::strings(const std::vector<std::string>& texts, Shape shape) {
  auto made = std::make_shared<Texts>();
  for (const std::string& text : texts) made->add(text);
  return {std::move(made), std::move(shape)};
}

Array Array::string(std::string_view text) {
  auto made = std::make_shared<Texts>();
  made->add(text);
  return {std::move(made), {}};
}

int64_t Array::length() const { return type_.shape.rank() == 0 ? 1 : type_.shape[0]; }
size_t Array::row_bytes() const {
  return length() == 0 ? 0 : bytes() / static_cast<size_t>(length());
}

void Array::check_type(DType asked) const {
  if (asked != type_.dtype)
    throw InvalidArgument(
        fmt::format("array of {} read as {}.", name_of(type_.dtype), name_of(asked)),
        "convert it with astype first.");
}

Array Array::rows(int64_t begin, int64_t end) const {
  if (type_.shape.rank() == 0 || begin < 0 || end < begin || end > length())
    throw InvalidArgument(
        fmt::format("rows {} to {} of an array of shape {}.", begin, end, to_string(shape())));
  Shape shape = type_.shape;
  shape[0] = end - begin;
  Array view = *this;
  const size_t skipped = static_cast<size_t>(begin) * row_bytes();
  if (texts_)
    view.first_text_ += skipped / sizeof(int64_t);
  else
    view.data_ = {data_, raw() + skipped};
  view.type_.shape = std::move(shape);
  return view;
}

Array Array::reshape(Shape shape) const {
  int64_t known = 1;
  int free_axis = -1;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] < 0)
      free_axis = i;
    else
      known *= shape[i];
  }
  if (free_axis >= 0 && known > 0) shape[free_axis] = size() / known;
  if (!shape.is_known() || shape.size() != size())
    throw InvalidArgument(
        fmt::format("cannot reshape {} to {}.", to_string(this->shape()), to_string(shape)));
  Array view = *this;
  view.type_.shape = std::move(shape);
  return view;
}

Array Array::astype(DType dtype) const {
  if (dtype == type_.dtype) return *this;
  if (texts_)
    throw InvalidArgument(fmt::format("an array of strings, of shape {}, cannot become {}.",
                                      to_string(shape()), name_of(dtype)),
                          "convert it to numbers before it is saved (numpy: x.astype('float32')).");
  Array out(dtype, shape());
  // 64-bit integers beyond 2^53 would lose digits in double.
  for (int64_t i = 0, n = size(); i < n; ++i)
    store(dtype, out.mutable_raw(), i, load(type_.dtype, raw(), i));
  return out;
}

Array Array::clone() const {
  if (texts_) return strings(texts(), shape());
  Array out(dtype(), shape());
  if (bytes() > 0) std::memcpy(out.mutable_raw(), raw(), bytes());
  return out;
}

const std::byte* Array::ids() const {
  return reinterpret_cast<const std::byte*>(texts_->ids() + first_text_);
}

std::string_view Array::text(int64_t flat_index) const {
  if (!texts_)
    throw InvalidArgument(
        fmt::format("an array of {} was asked for its strings.", name_of(dtype())),
        "only Array::strings and readers of strings make such arrays.");
  if (flat_index < 0 || flat_index >= size())
    throw InvalidArgument(fmt::format("string {} of an array of {}.", flat_index, size()));
  return (*texts_)[first_text_ + static_cast<size_t>(flat_index)];
}

std::vector<std::string> Array::texts() const {
  std::vector<std::string> all;
  for (int64_t i = 0; i < size(); ++i) all.emplace_back(text(i));
  return all;
}

double Array::at(int64_t flat_index) const {
  if (flat_index < 0 || flat_index >= size())
    throw InvalidArgument(fmt::format("element {} of an array of {}.", flat_index, size()));
  return load(dtype(), raw(), flat_index);
}

}  // namespace stoker
