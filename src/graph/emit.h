#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "stoker/tensor.h"

namespace stoker::graph {

struct TensorImpl {
  TensorType type;
  mutable Tensor mask;  // attached to the tensor, not part of its value
  explicit TensorImpl(TensorType t) : type(std::move(t)) {}
  virtual ~TensorImpl() = default;
  virtual Array array() const = 0;
};

// Receives ops: adds them to the graph being traced, or runs them on the device.
class Emitter {
 public:
  virtual ~Emitter() = default;
  virtual std::vector<Tensor> emit(const Op& op, const std::vector<Tensor>& inputs,
                                   const Attrs& attrs) = 0;
  virtual Tensor constant(const Array& array) = 0;
  virtual Tensor read(const std::shared_ptr<State>& state) = 0;
  virtual void assign(const std::shared_ptr<State>& state, const Tensor& value) = 0;
};

Emitter& current_emitter();                // the innermost trace, else the eager one
bool is_tracing();                         // is the current one a trace?
void set_eager_emitter(Emitter* emitter);  // exec does this once

// Makes an emitter the current one of this thread for a scope.
class EmitterScope {
 public:
  explicit EmitterScope(Emitter& emitter);
  ~EmitterScope();
  EmitterScope(const EmitterScope&) = delete;
  EmitterScope& operator=(const EmitterScope&) = delete;

 private:
  Emitter* before_;
};

// Names the layer whose call is running; its nodes store the name.
class PathScope {
 public:
  explicit PathScope(std::string_view name);
  ~PathScope();
  PathScope(const PathScope&) = delete;
  PathScope& operator=(const PathScope&) = delete;
  static const std::string& current();

 private:
  size_t before_;
};

// Every op goes through here: emits it, and records it on the active tapes.
std::vector<Tensor> emit(std::string_view op, const std::vector<Tensor>& inputs,
                         const Attrs& attrs = {});
inline Tensor emit1(std::string_view op, const std::vector<Tensor>& inputs,
                    const Attrs& attrs = {}) {
  return emit(op, inputs, attrs).front();
}
Tensor scalar_like(const Tensor& tensor,
                   double value);  // a constant of the tensor's dtype, shape ()

}  // namespace stoker::graph
