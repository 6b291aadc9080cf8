#pragma once
#include <memory>
#include <string>

#include "stoker/array.h"

namespace stoker {

namespace graph {
struct TensorImpl;
struct State;
}  // namespace graph

// A value that ops compute with. In eager mode it has memory; inside a trace it is a value of the
// graph being built. The same code works for both.
class Tensor {
 public:
  Tensor() = default;
  Tensor(const Array& array);  // NOLINT: arrays are tensors wherever one is expected
  explicit Tensor(std::shared_ptr<const graph::TensorImpl> impl) : impl_(std::move(impl)) {}

  bool defined() const { return impl_ != nullptr; }
  const TensorType& type() const;
  const Shape& shape() const { return type().shape; }
  DType dtype() const { return type().dtype; }
  Array array() const;  // the value; throws during tracing
  double item() const;  // of a tensor with one element

  // Keras's _keras_mask: a bool tensor that is passed along with this one from layer to layer.
  // Undefined if nothing is masked.
  const Tensor& mask() const;
  void set_mask(const Tensor& mask) const;

  const graph::TensorImpl& impl() const { return *impl_; }
  const graph::TensorImpl* id() const { return impl_.get(); }

 private:
  std::shared_ptr<const graph::TensorImpl> impl_;
};

// A weight or other state that outlives a step. Copies refer to the same variable.
class Variable {
 public:
  Variable() = default;
  Variable(const Array& initial, std::string name, bool trainable = true);
  explicit Variable(std::shared_ptr<graph::State> state) : state_(std::move(state)) {}

  bool defined() const { return state_ != nullptr; }
  const std::string& name() const;
  const TensorType& type() const;
  const Shape& shape() const { return type().shape; }
  DType dtype() const { return type().dtype; }
  bool trainable() const;
  void set_trainable(bool trainable);

  Tensor read() const;
  operator Tensor() const { return read(); }  // NOLINT: a variable is a tensor in an expression
  void assign(const Tensor& value) const;     // in a trace: at the end of the step
  Array array() const;                        // current value, copied to the host
  void set(const Array& value) const;         // from the host, now; shape must agree

  const std::shared_ptr<graph::State>& state() const { return state_; }

 private:
  std::shared_ptr<graph::State> state_;
};

Tensor operator+(const Tensor& a, const Tensor& b);
Tensor operator-(const Tensor& a, const Tensor& b);
Tensor operator*(const Tensor& a, const Tensor& b);
Tensor operator/(const Tensor& a, const Tensor& b);
Tensor operator-(const Tensor& a);
Tensor operator+(const Tensor& a, double b);
Tensor operator-(const Tensor& a, double b);
Tensor operator*(const Tensor& a, double b);
Tensor operator/(const Tensor& a, double b);
Tensor operator+(double a, const Tensor& b);
Tensor operator-(double a, const Tensor& b);
Tensor operator*(double a, const Tensor& b);
Tensor operator/(double a, const Tensor& b);

}  // namespace stoker
