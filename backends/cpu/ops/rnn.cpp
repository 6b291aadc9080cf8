#include "kernels/rnn.h"

#include <hwy/highway.h>

#include <optional>

#include "kernels/rnn_cells-inl.h"
#include "ops/support.h"

namespace stoker::cpu {
namespace {

using HWY_NAMESPACE::GruCell;
using HWY_NAMESPACE::LstmCell;
using HWY_NAMESPACE::SimpleCell;
using HWY_NAMESPACE::UnitBackward;
using HWY_NAMESPACE::UnitForward;

template <class T>
struct NumberMath {
  using Value = T;
  static T constant(double value) { return static_cast<T>(value); }
  static T sigmoid(T x) { return 1 / (1 + std::exp(-x)); }
  static T tanh(T x) { return std::tanh(x); }
  static T relu(T x) { return x < 0 ? 0 : x; }
  static T if_positive(T x, T value) { return x > 0 ? value : 0; }
};

// The offsets of a step of one row of the batch, and of the previous step.
struct Place {
  Place(const RnnSizes& sizes, const uint8_t* mask, int64_t t, int64_t row)
      : at(t * sizes.batch + row),
        first(t == 0),
        before(first ? row : at - sizes.batch),
        runs(!mask || mask[at] != 0) {}
  int64_t at;
  bool first;
  int64_t before;  // in the initial states, or in the sequence
  bool runs;
};

// sums[j] += row of a times column j of b, whose rows are `width` long.
template <class T>
void add_product(const T* a, int64_t inner, const T* b, int64_t width, double* sums) {
  for (int64_t k = 0; k < inner; ++k)
    for (int64_t j = 0; j < width; ++j)
      sums[j] += static_cast<double>(a[k]) * static_cast<double>(b[k * width + j]);
}

template <class Cell, class T>
void forward_unit(const RnnForward<T>& d, const Place& p, const double* inner, int64_t j) {
  constexpr int G = Cell::gates;
  const int64_t u = d.units;
  UnitForward<T, G> unit{};
  for (int g = 0; g < G; ++g) {
    unit.x[g] = d.x[p.at * G * u + g * u + j];
    unit.inner[g] = static_cast<T>(inner[g * u + j]);
  }
  const T h = unit.h = (p.first ? d.h : d.sequence)[p.before * u + j];
  if constexpr (Cell::carry) unit.c = (p.first ? d.c : d.carries)[p.before * u + j];
  const T c = unit.c;
  Cell::forward(unit);
  d.sequence[p.at * u + j] = p.runs ? unit.h : h;
  if constexpr (Cell::carry) d.carries[p.at * u + j] = p.runs ? unit.c : c;
  for (int g = 0; g < Cell::kept; ++g) d.gates[p.at * 4 * u + g * u + j] = unit.kept[g];
}

// One row of the batch through all steps; `inner` is scratch memory for a row of gates.
template <class Cell, class T>
void forward_row(const RnnForward<T>& d, int64_t row, double* inner) {
  const int64_t u = d.units, width = Cell::gates * u;
  for (int64_t t = 0; t < d.time; ++t) {
    const Place p(d, d.mask, t, row);
    for (int64_t j = 0; j < width; ++j) inner[j] = d.bias ? static_cast<double>(d.bias[j]) : 0;
    add_product((p.first ? d.h : d.sequence) + p.before * u, u, d.kernel, width, inner);
    for (int64_t j = 0; j < u; ++j) forward_unit<Cell>(d, p, inner, j);
  }
  const int64_t last = (d.time - 1) * d.batch + row;
  std::copy_n(d.sequence + last * u, u, d.last_h + row * u);
  if constexpr (Cell::carry) std::copy_n(d.carries + last * u, u, d.last_c + row * u);
}

// On entry of_h and of_c are the gradients of the states after the step; on return of_c is that
// before it.
template <class Cell, class T>
T backward_unit(const RnnBackward<T>& d, const Place& p, T of_h, double& of_c, int64_t j) {
  constexpr int G = Cell::gates;
  const int64_t u = d.units;
  UnitBackward<T, G> unit{};
  for (int g = 0; g < Cell::kept; ++g) unit.kept[g] = d.gates[p.at * 4 * u + g * u + j];
  unit.h = d.sequence[p.at * u + j];
  unit.h_before = (p.first ? d.h : d.sequence)[p.before * u + j];
  if constexpr (Cell::carry) {
    unit.c = d.carries[p.at * u + j];
    unit.c_before = (p.first ? d.c : d.carries)[p.before * u + j];
  }
  unit.of_h = of_h, unit.of_c = static_cast<T>(of_c);
  Cell::backward(unit);
  for (int g = 0; g < G; ++g) {
    d.of_x[p.at * G * u + g * u + j] = p.runs ? unit.of_x[g] : T{};
    if constexpr (Cell::own_inner)
      d.of_inner[p.at * G * u + g * u + j] = p.runs ? unit.of_inner[g] : T{};
  }
  if (p.runs) of_c = static_cast<double>(unit.of_c);
  return p.runs ? unit.direct : of_h;
}

// `room`: scratch memory for the gradients of both states.
template <class Cell, class T>
void backward_row(const RnnBackward<T>& d, int64_t row, double* room) {
  const int64_t u = d.units, width = Cell::gates * u;
  double *of_h = room, *of_c = room + u;
  for (int64_t j = 0; j < u; ++j) {
    of_h[j] = d.of_last_h ? static_cast<double>(d.of_last_h[row * u + j]) : 0;
    of_c[j] = d.of_last_c ? static_cast<double>(d.of_last_c[row * u + j]) : 0;
  }
  for (int64_t t = d.time - 1; t >= 0; --t) {
    const Place p(d, d.mask, t, row);
    for (int64_t j = 0; j < u; ++j) {
      const double more = d.of_sequence ? static_cast<double>(d.of_sequence[p.at * u + j]) : 0;
      of_h[j] = static_cast<double>(
          backward_unit<Cell>(d, p, static_cast<T>(of_h[j] + more), of_c[j], j));
    }
    const T* of_gates = (Cell::own_inner ? d.of_inner : d.of_x) + p.at * width;
    for (int64_t j = 0; j < u; ++j)
      of_h[j] += sum_of(width, [&](int64_t k) {
        return static_cast<double>(of_gates[k]) * static_cast<double>(d.kernel[j * width + k]);
      });
  }
  std::transform(of_h, of_h + u, d.of_h + row * u, [](double v) { return static_cast<T>(v); });
  if constexpr (Cell::carry)
    std::transform(of_c, of_c + u, d.of_c + row * u, [](double v) { return static_cast<T>(v); });
}

template <class T, class F>
void with_cell(RnnCell cell, F&& f) {
  switch (cell) {
    case RnnCell::lstm:
      return f(LstmCell<NumberMath<T>>());
    case RnnCell::gru:
      return f(GruCell<NumberMath<T>>());
    case RnnCell::simple_tanh:
      return f(SimpleCell<NumberMath<T>, false>());
    case RnnCell::simple_relu:
      return f(SimpleCell<NumberMath<T>, true>());
  }
}

std::optional<RnnCell> cell_of(const NodeView& node, std::string& refusal) {
  if (node.op.starts_with("lstm")) return RnnCell::lstm;
  if (node.op.starts_with("gru")) return RnnCell::gru;
  const std::string activation = node.text("activation");
  if (activation.empty() || activation == "tanh") return RnnCell::simple_tanh;
  if (activation == "relu") return RnnCell::simple_relu;
  refusal = fmt::format("does not know the activation \"{}\"", activation);
  return {};
}
RnnSizes sizes_of(const TensorType& sequence) {
  return {sequence.shape[0], sequence.shape[1], sequence.shape[2]};
}

// Reads a kernel's arguments in the order listed in src/ops/rnn.cpp.
class Arguments {
 public:
  explicit Arguments(void* const* next) : next_(next) {}
  template <class T>
  void take(bool there, T*& pointer) {
    if (there) pointer = static_cast<T*>(*next_++);
  }
  template <class T>
  void take(bool there, const T*& pointer) {
    if (there) pointer = static_cast<const T*>(*next_++);
  }

 private:
  void* const* next_;
};

template <class T>
RnnForward<T> bind_forward(RnnCell cell, const RnnSizes& sizes, bool masked, void* const* args) {
  const bool lstm = cell == RnnCell::lstm, gru = cell == RnnCell::gru;
  RnnForward<T> d{sizes};
  Arguments next(args);
  next.take(true, d.x), next.take(true, d.kernel), next.take(true, d.h), next.take(lstm, d.c);
  next.take(gru, d.bias), next.take(masked, d.mask);
  next.take(true, d.sequence), next.take(true, d.last_h), next.take(lstm, d.last_c);
  next.take(lstm, d.carries), next.take(lstm || gru, d.gates);
  return d;
}

struct Given {  // which gradients are given
  bool masked, of_sequence, of_h, of_c;
};
Given given(const NodeView& node) {
  return {node.flag("masked"), node.flag("of_sequence"), node.flag("of_h"), node.flag("of_c")};
}

template <class T>
RnnBackward<T> bind_backward(RnnCell cell, const RnnSizes& sizes, const Given& is,
                             void* const* args) {
  const bool lstm = cell == RnnCell::lstm, gru = cell == RnnCell::gru;
  RnnBackward<T> d{sizes};
  Arguments next(args);
  next.take(lstm || gru, d.gates), next.take(true, d.kernel), next.take(true, d.sequence);
  next.take(true, d.h), next.take(lstm, d.carries), next.take(lstm, d.c);
  next.take(is.masked, d.mask), next.take(is.of_sequence, d.of_sequence);
  next.take(is.of_h, d.of_last_h), next.take(is.of_c, d.of_last_c);
  next.take(true, d.of_x), next.take(true, d.of_h), next.take(lstm, d.of_c);
  next.take(gru, d.of_inner);
  return d;
}

// Rows of the batch are independent: threads process them in parallel.
template <class F>
void for_rows(const RnnSizes& s, F&& f) {
  parallel_for(s.batch, 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) f(row);
  });
}

std::unique_ptr<Kernel> plan_forward(const NodeView& node, std::string& refusal) {
  const auto cell = cell_of(node, refusal);
  if (!cell) return nullptr;
  const RnnSizes sizes = sizes_of(node.out[0]);
  const int64_t width = node.in[0].shape.back();
  return for_floats(node.in[0].dtype, refusal, [&](auto zero) {
    using T = decltype(zero);
    return make_kernel(
        [=, masked = node.flag("masked")](void* const* args, void* room) {
          const auto d = bind_forward<T>(*cell, sizes, masked, args);
          with_cell<T>(*cell, [&](auto kind) {
            for_rows(sizes, [&](int64_t row) {
              forward_row<decltype(kind)>(d, row, static_cast<double*>(room) + row * width);
            });
          });
        },
        static_cast<uint64_t>(sizes.batch * width) * sizeof(double));
  });
}

std::unique_ptr<Kernel> plan_backward(const NodeView& node, std::string& refusal) {
  const auto cell = cell_of(node, refusal);
  if (!cell) return nullptr;
  const RnnSizes sizes = sizes_of(node.in[node.op == "simple_rnn_grad" ? 1 : 2]);
  return for_floats(node.in[0].dtype, refusal, [&](auto zero) {
    using T = decltype(zero);
    return make_kernel(
        [=, is = given(node)](void* const* args, void* room) {
          const auto d = bind_backward<T>(*cell, sizes, is, args);
          with_cell<T>(*cell, [&](auto kind) {
            for_rows(sizes, [&](int64_t row) {
              backward_row<decltype(kind)>(d, row,
                                           static_cast<double*>(room) + row * 2 * sizes.units);
            });
          });
        },
        static_cast<uint64_t>(sizes.batch * 2 * sizes.units) * sizeof(double));
  });
}

// In float32, with the kernel in registers and caches.
bool serves(const NodeView& node, const RnnSizes& sizes, std::string& refusal) {
  for (const TensorType& type : node.in)
    if (type.dtype != DType::float32 && type.dtype != DType::boolean)
      refusal = "computes in float32";
  if (sizes.batch == 0 || sizes.units == 0) refusal = "an operand is empty";
  return refusal.empty();
}

std::unique_ptr<Kernel> plan_fast_forward(const NodeView& node, std::string& refusal) {
  const auto cell = cell_of(node, refusal);
  const RnnSizes sizes = sizes_of(node.out[0]);
  if (!cell || !serves(node, sizes, refusal)) return nullptr;
  return make_kernel(
      [=, masked = node.flag("masked")](void* const* args, void* room) {
        rnn_forward(*cell, bind_forward<float>(*cell, sizes, masked, args), room);
      },
      rnn_forward_workspace(*cell, sizes));
}

std::unique_ptr<Kernel> plan_fast_backward(const NodeView& node, std::string& refusal) {
  const auto cell = cell_of(node, refusal);
  const RnnSizes sizes = sizes_of(node.in[node.op == "simple_rnn_grad" ? 1 : 2]);
  if (!cell || !serves(node, sizes, refusal)) return nullptr;
  return make_kernel(
      [=, is = given(node)](void* const* args, void* room) {
        rnn_backward(*cell, bind_backward<float>(*cell, sizes, is, args), room);
      },
      rnn_backward_workspace(*cell, sizes));
}

const RegisterKernel fast_lstm{"lstm", "panels", optimised, plan_fast_forward};
const RegisterKernel fast_gru{"gru", "panels", optimised, plan_fast_forward};
const RegisterKernel fast_simple{"simple_rnn", "panels", optimised, plan_fast_forward};
const RegisterKernel fast_lstm_grad{"lstm_grad", "panels", optimised, plan_fast_backward};
const RegisterKernel fast_gru_grad{"gru_grad", "panels", optimised, plan_fast_backward};
const RegisterKernel fast_simple_grad{"simple_rnn_grad", "panels", optimised, plan_fast_backward};
const RegisterKernel lstm{"lstm", "rows", reference, plan_forward};
const RegisterKernel gru{"gru", "rows", reference, plan_forward};
const RegisterKernel simple_rnn{"simple_rnn", "rows", reference, plan_forward};
const RegisterKernel lstm_grad{"lstm_grad", "rows", reference, plan_backward};
const RegisterKernel gru_grad{"gru_grad", "rows", reference, plan_backward};
const RegisterKernel simple_rnn_grad{"simple_rnn_grad", "rows", reference, plan_backward};

}  // namespace
}  // namespace stoker::cpu
