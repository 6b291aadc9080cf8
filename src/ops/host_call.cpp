#include "stoker/ops/host_call.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <mutex>

#include "core/host_call.h"
#include "graph/emit.h"
#include "ops/infer.h"
#include "ops/without_host_calls.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/shape_ops.h"

namespace stoker {

struct HostFunction::Impl {
  Function function, gradient;
};

HostFunction::HostFunction(Function function, Function gradient)
    : impl_(std::make_shared<const Impl>(Impl{std::move(function), std::move(gradient)})) {}

namespace ops {
namespace {

using ImplPtr = std::shared_ptr<const HostFunction::Impl>;

// One function for one set of types. Steps refer to it by address, so it is never freed.
struct Call : StokerHostCall {
  ImplPtr impl;
  bool is_gradient = false;
  std::vector<TensorType> in, out;

  bool operator==(const Call& other) const {
    return impl == other.impl && is_gradient == other.is_gradient && in == other.in &&
           out == other.out;
  }

  void compute(void* const* arguments) const {
    std::vector<Array> inputs;
    for (size_t i = 0; i < in.size(); ++i)  // views of the step's memory
      inputs.emplace_back(
          in[i].dtype, in[i].shape,
          std::shared_ptr<const std::byte>(std::shared_ptr<void>(),
                                           static_cast<const std::byte*>(arguments[i])));
    const auto results = (is_gradient ? impl->gradient : impl->function)(inputs);
    expect(
        results.size() == out.size(),
        fmt::format("host_call: the function gave {} arrays, not {}.", results.size(), out.size()));
    for (size_t i = 0; i < out.size(); ++i) {
      expect(results[i].type() == out[i],
             fmt::format("host_call: the function gave {}, not {}, as output {}.",
                         to_string(results[i].type()), to_string(out[i]), i));
      std::memcpy(arguments[in.size() + i], results[i].raw(), results[i].bytes());
    }
  }
};

// Of the step that this thread runs, not of a Call: steps in several threads share it.
std::exception_ptr& error_in_step() {
  static thread_local std::exception_ptr error;
  return error;
}

void run_call(StokerHostCall* self, void* const* arguments) {
  if (error_in_step()) return;
  int64_t& spent = host_call_nanoseconds();
  const int64_t before = spent;
  const auto begin = std::chrono::steady_clock::now();
  std::exception_ptr error;
  try {
    static_cast<Call*>(self)->compute(arguments);
  } catch (...) {
    error = std::current_exception();
  }
  error_in_step() = error;
  // Nested host calls were counted already.
  spent = before + (std::chrono::steady_clock::now() - begin).count();
}

void rethrow_call(StokerHostCall*) {
  if (error_in_step()) std::rethrow_exception(std::exchange(error_in_step(), nullptr));
}

const Call& find_call(Call wanted) {
  static std::mutex mutex;
  static std::vector<std::unique_ptr<Call>> calls;
  const std::scoped_lock lock(mutex);
  for (const auto& known : calls)
    if (*known == wanted) return *known;
  wanted.run = run_call;
  wanted.rethrow = rethrow_call;
  calls.push_back(std::make_unique<Call>(std::move(wanted)));
  return *calls.back();
}

const Call& call_of(const Attrs& attrs) {
  return *static_cast<const Call*>(
      reinterpret_cast<const StokerHostCall*>(attrs.integer("function")));
}

std::vector<Tensor> emit_call(const ImplPtr& impl, bool is_gradient,
                              const std::vector<Tensor>& inputs,
                              const std::vector<TensorType>& outputs) {
  std::vector<TensorType> types;
  for (const Tensor& input : inputs) types.push_back(input.type());
  const StokerHostCall& call = find_call({{}, impl, is_gradient, types, outputs});
  return graph::emit("host_call", inputs, {{"function", reinterpret_cast<int64_t>(&call)}});
}

std::vector<Tensor> gradient_of(const Gradient& g) {
  const Call& call = call_of(g.attrs);
  if (call.is_gradient || !call.impl->gradient) return std::vector<Tensor>(g.inputs.size());
  std::vector<Tensor> given = g.inputs;
  given.insert(given.end(), g.outputs.begin(), g.outputs.end());
  for (size_t i = 0; i < g.outputs.size(); ++i)
    given.push_back(g.output_grads[i].defined()
                        ? g.output_grads[i]
                        : graph::emit1("broadcast_to", {graph::scalar_like(g.outputs[i], 0)},
                                       {{"shape", g.outputs[i].shape().dims()}}));
  return emit_call(call.impl, true, given, call.in);
}

std::vector<Tensor> stand_ins(const std::vector<Tensor>& inputs,
                              const std::vector<TensorType>& outputs, bool differentiable) {
  std::vector<Tensor> given;
  for (const TensorType& type : outputs) {
    const auto same = std::ranges::find(inputs, type, &Tensor::type);
    const Tensor value = same == inputs.end() ? fill(type.shape, 0, type.dtype) : *same;
    given.push_back(differentiable ? value : stop_gradient(value));
  }
  return given;
}

const RegisterOp registered{{.name = "host_call",
                             .infer = [](Types, const Attrs& attrs) { return call_of(attrs).out; },
                             .gradient = gradient_of,
                             .stateful = true}};

}  // namespace

std::vector<Tensor> host_call(const std::vector<Tensor>& inputs,
                              const std::vector<TensorType>& outputs,
                              const HostFunction& function) {
  if (WithoutHostCalls::active())
    return stand_ins(inputs, outputs, function.impl()->gradient != nullptr);
  return emit_call(function.impl(), false, inputs, outputs);
}

int& WithoutHostCalls::depth() {
  static thread_local int depth = 0;
  return depth;
}

Tensor host_call(const Tensor& x, const HostFunction& function) {
  return host_call({x}, {x.type()}, function)[0];
}

}  // namespace ops
}  // namespace stoker
