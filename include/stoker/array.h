#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stoker/error.h"
#include "stoker/shape.h"

namespace stoker {

class Texts;

// An array in host memory: returned by readers and predict, accepted by fit. Copies share their
// memory (like NumPy views); rows() is a view, too.
class Array {
 public:
  Array() = default;
  Array(DType dtype, Shape shape);  // zeros
  Array(DType dtype, Shape shape,
        std::shared_ptr<const std::byte> bytes);  // external memory

  // Strings. For computations they are int64: fingerprints, by which layers identify them.
  static Array strings(const std::vector<std::string>& texts, Shape shape);
  static Array string(std::string_view text);  // a scalar
  Array(std::shared_ptr<const Texts> texts, Shape shape);

  template <class T>
  static Array from(const std::vector<T>& values, Shape shape);
  template <class T>
  static Array scalar(T value) {
    return from(std::vector<T>{value}, Shape{});
  }

  DType dtype() const { return type_.dtype; }
  const Shape& shape() const { return type_.shape; }
  const TensorType& type() const { return type_; }
  bool defined() const { return data_ || texts_; }
  int64_t size() const { return type_.shape.size(); }
  int64_t length() const;  // the first dimension; 1 for a scalar
  size_t bytes() const { return static_cast<size_t>(type_.bytes()); }
  size_t row_bytes() const;  // bytes of one sample

  const std::byte* raw() const { return texts_ ? ids() : data_.get(); }
  std::byte* mutable_raw() { return const_cast<std::byte*>(raw()); }
  template <class T>
  std::span<const T> data() const;
  template <class T>
  std::span<T> mutable_data();

  Array rows(int64_t begin, int64_t end) const;  // view of samples [begin, end)
  Array reshape(Shape shape) const;              // view; one -1 allowed
  Array astype(DType dtype) const;               // converted copy, or itself
  Array clone() const;
  double at(int64_t flat_index) const;  // any dtype, for messages and tests

  // Views and copies keep their strings; astype refuses to convert them.
  bool holds_strings() const { return texts_ != nullptr; }
  // any bytes; throws unless it contains strings
  std::string_view text(int64_t flat_index = 0) const;
  std::vector<std::string> texts() const;

 private:
  void check_type(DType asked) const;
  const std::byte* ids() const;
  TensorType type_;
  std::shared_ptr<const std::byte> data_;
  std::shared_ptr<const Texts> texts_;  // instead of data_
  size_t first_text_ = 0;
};

template <class T>
Array Array::from(const std::vector<T>& values, Shape shape) {
  Array array(dtype_of<T>, std::move(shape));
  auto out = array.template mutable_data<T>();
  if (out.size() != values.size())
    throw InvalidArgument("Array::from: " + std::to_string(values.size()) + " values for shape " +
                          to_string(array.shape()) + ".");
  for (size_t i = 0; i < out.size(); ++i) out[i] = values[i];
  return array;
}

template <class T>
std::span<const T> Array::data() const {
  check_type(dtype_of<T>);
  return {reinterpret_cast<const T*>(raw()), static_cast<size_t>(size())};
}

template <class T>
std::span<T> Array::mutable_data() {
  check_type(dtype_of<T>);
  return {reinterpret_cast<T*>(mutable_raw()), static_cast<size_t>(size())};
}

}  // namespace stoker
