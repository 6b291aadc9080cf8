#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "stoker/dtype.h"

namespace stoker {

inline constexpr int64_t unknown = -1;  // Keras's None: a dimension known only per batch

class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<int64_t> dims) : dims_(dims) {}
  explicit Shape(std::vector<int64_t> dims) : dims_(std::move(dims)) {}

  int rank() const { return static_cast<int>(dims_.size()); }
  int64_t operator[](int axis) const {
    return dims_[static_cast<size_t>(axis < 0 ? axis + rank() : axis)];
  }
  int64_t& operator[](int axis) {
    return dims_[static_cast<size_t>(axis < 0 ? axis + rank() : axis)];
  }
  int64_t back() const { return dims_.back(); }
  auto begin() const { return dims_.begin(); }
  auto end() const { return dims_.end(); }
  const std::vector<int64_t>& dims() const { return dims_; }

  int64_t size() const;  // number of elements; unknown counts are an error
  bool is_known() const;
  Shape drop_front() const;             // without the first dimension
  Shape with_front(int64_t dim) const;  // with one more dimension in front
  bool operator==(const Shape&) const = default;

 private:
  std::vector<int64_t> dims_;
};

struct TensorType {
  DType dtype = DType::float32;
  Shape shape;
  int64_t bytes() const { return shape.size() * static_cast<int64_t>(size_of(dtype)); }
  bool operator==(const TensorType&) const = default;
};

std::string to_string(const Shape& shape);        // "(None, 28, 28)"
std::string to_string(const TensorType& type);    // "float32(32, 784)"
Shape broadcast(const Shape& a, const Shape& b);  // numpy's rule; throws InvalidArgument
int normalize_axis(int64_t axis, int rank);       // -1 → rank-1; throws InvalidArgument

}  // namespace stoker
