#include <cmath>

#include "ops/op_case.h"
#include "support/random_values.h"

namespace stoker::testing {
namespace {

constexpr int64_t time = 4, batch = 3;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// The contributions of x and of the state to each gate of unit j in row b at step t.
struct Sums {
  const std::vector<Array>& in;
  int64_t units, gates;
  double x(int64_t t, int64_t b, int64_t gate, int64_t j) const {
    return in[0].at(((t * batch + b) * gates + gate) * units + j);
  }
  double inner(const std::vector<double>& h, int64_t b, int64_t gate, int64_t j) const {
    double sum = 0;
    for (int64_t k = 0; k < units; ++k)
      sum += h[static_cast<size_t>(b * units + k)] * in[1].at((k * gates + gate) * units + j);
    return sum;
  }
};

// unit(sums, t, b, j, h before, c of the unit) → h; written for one unit at a time.
using Unit = std::function<double(const Sums&, int64_t, int64_t, int64_t,
                                  const std::vector<double>&, double&)>;

Plain sequence(int64_t units, int64_t gates, bool masked, Unit unit) {
  return [=](const std::vector<Array>& in) {
    const Sums sums{in, units, gates};
    std::vector<double> h, c(static_cast<size_t>(batch * units)), out;
    for (int64_t i = 0; i < batch * units; ++i) {
      h.push_back(in[2].at(i));
      if (gates == 4) c[static_cast<size_t>(i)] = in[3].at(i);
    }
    for (int64_t t = 0; t < time; ++t) {
      const auto before = h;
      for (int64_t b = 0; b < batch; ++b) {
        if (masked && in.back().at(t * batch + b) == 0) continue;
        for (int64_t j = 0; j < units; ++j) {
          const auto i = static_cast<size_t>(b * units + j);
          h[i] = unit(sums, t, b, j, before, c[i]);
        }
      }
      out.insert(out.end(), h.begin(), h.end());
    }
    return out;
  };
}

double lstm_unit(const Sums& s, int64_t t, int64_t b, int64_t j, const std::vector<double>& h,
                 double& c) {
  const auto sum = [&](int64_t gate) { return s.x(t, b, gate, j) + s.inner(h, b, gate, j); };
  c = sigmoid(sum(1)) * c + sigmoid(sum(0)) * std::tanh(sum(2));
  return sigmoid(sum(3)) * std::tanh(c);
}
double gru_unit(const Sums& s, int64_t t, int64_t b, int64_t j, const std::vector<double>& h,
                double&) {
  const auto inner = [&](int64_t gate) {
    return s.inner(h, b, gate, j) + s.in[3].at(gate * s.units + j);
  };
  const double z = sigmoid(s.x(t, b, 0, j) + inner(0)), r = sigmoid(s.x(t, b, 1, j) + inner(1));
  const double candidate = std::tanh(s.x(t, b, 2, j) + r * inner(2));
  return z * h[static_cast<size_t>(b * s.units + j)] + (1 - z) * candidate;
}
Unit simple_unit(bool relu) {
  return
      [=](const Sums& s, int64_t t, int64_t b, int64_t j, const std::vector<double>& h, double&) {
        const double sum = s.x(t, b, 0, j) + s.inner(h, b, 0, j);
        return relu ? std::max(sum, 0.0) : std::tanh(sum);
      };
}

const Array mask =
    Array::from<double>({1, 0, 1, 1, 1, 0, 0, 1, 1, 0, 1, 1}, {time, batch}).astype(DType::boolean);

OpCase forward(const std::string& op, const std::string& name, int64_t units, bool masked,
               const std::string& activation = "tanh") {
  const bool lstm = op == "lstm", gru = op == "gru";
  const int64_t gates = lstm ? 4 : gru ? 3 : 1;
  std::vector<Array> inputs{random_values({time, batch, gates * units}, 1),
                            random_values({units, gates * units}, 2),
                            random_values({batch, units}, 3)};
  if (lstm) inputs.push_back(random_values({batch, units}, 4));
  if (gru) inputs.push_back(random_values({gates * units}, 4));
  if (masked) inputs.push_back(mask);
  const Unit unit = lstm  ? Unit(lstm_unit)
                    : gru ? Unit(gru_unit)
                          : simple_unit(activation == "relu");
  return {op,
          name,
          inputs,
          {{"masked", int64_t{masked}}, {"activation", activation}},
          sequence(units, gates, masked, unit)};
}

// Compares kernels with each other; the cases above verify the gradients.
OpCase backward(const std::string& op, const std::string& name, int64_t units, bool masked,
                const std::string& activation = "tanh") {
  const bool lstm = op == "lstm_grad", gru = op == "gru_grad";
  const Shape steps{time, batch, units}, state{batch, units};
  const int64_t gates = lstm ? 4 : gru ? 3 : 1;
  std::vector<Array> inputs;
  if (lstm || gru) inputs.push_back(random_values({time, batch, 4 * units}, 1));
  // Small weights: gradients that grow from step to step would cancel.
  inputs.push_back(random_values({units, gates * units}, 2, -0.2, 0.2));
  inputs.push_back(random_values(steps, 3));
  inputs.push_back(random_values(state, 4));
  if (lstm) inputs.insert(inputs.end(), {random_values(steps, 5), random_values(state, 6)});
  if (masked) inputs.push_back(mask);
  inputs.insert(inputs.end(), {random_values(steps, 7), random_values(state, 8)});
  if (lstm) inputs.push_back(random_values(state, 9));
  return {op,
          name,
          inputs,
          {{"masked", int64_t{masked}},
           {"activation", activation},
           {"of_sequence", int64_t{1}},
           {"of_h", int64_t{1}},
           {"of_c", int64_t{lstm}}}};
}

const AddCases gradients({backward("lstm_grad", "plain", 5, false),
                          backward("lstm_grad", "masked", 37, true),
                          backward("gru_grad", "plain", 5, false),
                          backward("gru_grad", "masked", 37, true),
                          backward("simple_rnn_grad", "plain", 5, false),
                          backward("simple_rnn_grad", "masked", 37, true),
                          backward("simple_rnn_grad", "relu", 5, true, "relu")});

const AddCases cases({forward("lstm", "plain", 5, false), forward("lstm", "masked", 5, true),
                      forward("lstm", "many_units", 37, true), forward("gru", "plain", 5, false),
                      forward("gru", "masked", 5, true), forward("gru", "many_units", 37, true),
                      forward("simple_rnn", "plain", 5, false),
                      forward("simple_rnn", "masked", 5, true),
                      forward("simple_rnn", "relu", 5, true, "relu"),
                      forward("simple_rnn", "many_units", 37, true)},
                     {{"lstm",
                       "width",
                       {{DType::float32, {4, 3, 10}},
                        {DType::float32, {5, 20}},
                        {DType::float32, {3, 5}},
                        {DType::float32, {3, 5}}},
                       {},
                       "x must be (4, 3, 20)"},
                      {"gru",
                       "state",
                       {{DType::float32, {4, 3, 15}},
                        {DType::float32, {5, 15}},
                        {DType::float32, {2, 5}},
                        {DType::float32, {15}}},
                       {},
                       "(3, 5), got (2, 5)"}});

}  // namespace
}  // namespace stoker::testing
