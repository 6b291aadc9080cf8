#include "graph/emit.h"

#include "graph/promotion.h"
#include "graph/symbolic_ops.h"
#include "graph/tape.h"
#include "stoker/error.h"

namespace stoker {

Tensor::Tensor(const Array& array) { *this = graph::current_emitter().constant(array); }

const TensorType& Tensor::type() const {
  if (!impl_) throw InvalidArgument("an undefined tensor was used.");
  return impl_->type;
}

Array Tensor::array() const {
  if (!impl_) throw InvalidArgument("an undefined tensor was used.");
  return impl_->array();
}

const Tensor& Tensor::mask() const {
  static const Tensor none;
  return impl_ ? impl_->mask : none;
}

void Tensor::set_mask(const Tensor& mask) const {
  if (!impl_) throw InvalidArgument("an undefined tensor cannot have a mask.");
  if (mask.impl_ != impl_) impl_->mask = mask;
}

double Tensor::item() const {
  if (shape().size() != 1)
    throw InvalidArgument("item() needs a tensor with one element, this one is " +
                          to_string(type()) + ".");
  return array().at(0);
}

namespace graph {
namespace {
thread_local Emitter* innermost = nullptr;
Emitter* eager = nullptr;
SymbolicOpHandler symbolic_op_handler = nullptr;
thread_local std::string path;
}  // namespace

void set_symbolic_op_handler(SymbolicOpHandler function) { symbolic_op_handler = function; }

Emitter& current_emitter() {
  if (innermost) return *innermost;
  if (!eager) throw Internal("no eager emitter is set.");
  return *eager;
}
bool is_tracing() { return innermost != nullptr; }
void set_eager_emitter(Emitter* emitter) { eager = emitter; }

EmitterScope::EmitterScope(Emitter& emitter) : before_(innermost) { innermost = &emitter; }
EmitterScope::~EmitterScope() { innermost = before_; }

PathScope::PathScope(std::string_view name) : before_(path.size()) {
  if (!path.empty()) path += '/';
  path += name;
}
PathScope::~PathScope() { path.resize(before_); }
const std::string& PathScope::current() { return path; }

std::vector<Tensor> emit(std::string_view name, const std::vector<Tensor>& inputs,
                         const Attrs& attrs) {
  if (symbolic_op_handler)
    if (auto described = symbolic_op_handler(name, inputs, attrs)) return *described;
  const Op& op = find_op(name);
  const auto given = op.promote && !inputs.empty() ? promoted(op, inputs) : inputs;
  auto outputs = current_emitter().emit(op, given, attrs);
  Tape::record_all(op, attrs, given, outputs);
  return outputs;
}

Tensor scalar_like(const Tensor& tensor, double value) {
  return current_emitter().constant(Array::scalar(value).astype(tensor.dtype()));
}

}  // namespace graph
}  // namespace stoker
