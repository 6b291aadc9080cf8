#include "stoker/optimizers/muon.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <regex>

#include "nn/optimizers/optimizer_of.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/matmul.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"
#include "stoker/ops/update.h"

namespace stoker::optimizers {

template <class V>
void visit(MuonArgs& a, V& v) {
  nn::visit_common(a, v);
  v("adam_beta_1", a.adam_beta_1);
  v("adam_beta_2", a.adam_beta_2);
  v("epsilon", a.epsilon);
  Config excluded = Config::List(a.exclude_layers.begin(), a.exclude_layers.end());
  v("exclude_layers", excluded);
  a.exclude_layers.clear();
  if (!excluded.is_null())
    for (const Config& pattern : excluded.as_list())
      a.exclude_layers.push_back(pattern.as_string());
  v("muon_a", a.muon_a);
  v("muon_b", a.muon_b);
  v("muon_c", a.muon_c);
  v("adam_lr_ratio", a.adam_lr_ratio);
  v("momentum", a.momentum);
  v("ns_steps", a.ns_steps);
  v("nesterov", a.nesterov);
  v("exclude_embeddings", a.exclude_embeddings);
  v("adam_weight_decay", a.adam_weight_decay);
  v("rms_rate", a.rms_rate);
}

namespace {

class MuonRule : public nn::OptimizerOf<MuonArgs> {
 public:
  using OptimizerOf::OptimizerOf;

 protected:
  void make_slots(const std::vector<Variable>& variables) override {
    for (const Variable& v : variables) {
      slot(v, "momentum");
      if (is_adams(v)) slot(v, "velocity");
    }
  }

  std::optional<double> weight_decay_of(const Variable& w) const override {
    return is_adams(w) ? args_.adam_weight_decay : args_.weight_decay;
  }

  void update(const Variable& w, const Tensor& gradient, const Tensor& learning_rate) override {
    if (is_adams(w)) return update_as_adam(w, gradient, learning_rate);
    const Variable m = slot(w, "momentum");
    m.assign(m * args_.momentum + gradient);
    const Tensor ahead = args_.nesterov ? gradient + args_.momentum * m.read() : m.read();
    const double longer = static_cast<double>(std::max(w.shape()[0], w.shape()[1]));
    const double scale = args_.rms_rate ? *args_.rms_rate * std::sqrt(longer) : 1;
    w.assign(w - learning_rate * orthogonal(ahead) * scale);
  }

 private:
  bool is_adams(const Variable& v) const {
    if (v.shape().rank() != 2) return true;
    std::string lower = v.name();
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (args_.exclude_embeddings && lower.find("embedding") != std::string::npos) return true;
    return std::ranges::any_of(args_.exclude_layers, [&](const std::string& pattern) {
      return std::regex_search(v.name(), std::regex(pattern));
    });
  }

  void update_as_adam(const Variable& w, const Tensor& gradient, const Tensor& learning_rate) {
    const Variable m = slot(w, "momentum"), v = slot(w, "velocity");
    const auto missing = [&](double beta) {
      return 1.0 - ops::power(Tensor(Array::scalar(static_cast<float>(beta))), step());
    };
    const Tensor correction = ops::sqrt(missing(args_.adam_beta_2)) / missing(args_.adam_beta_1);
    const auto next = ops::adam_update(
        w, m, v, gradient,
        learning_rate * args_.adam_lr_ratio * ops::cast(correction, learning_rate.dtype()),
        {args_.adam_beta_1, args_.adam_beta_2, args_.epsilon});
    w.assign(next[0]);
    m.assign(next[1]);
    v.assign(next[2]);
  }

  // Newton-Schulz iteration, on the matrix or its transpose, whichever is wide.
  Tensor orthogonal(const Tensor& gradient) const {
    const bool tall = gradient.shape()[0] > gradient.shape()[1];
    Tensor x = tall ? ops::transpose(gradient, {1, 0}) : gradient;
    x = x / (ops::sqrt(ops::sum(ops::square(x))) + 1e-7);
    for (int64_t i = 0; i < args_.ns_steps; ++i) {
      const Tensor square = ops::matmul(x, x, {.transpose_b = true});
      const Tensor mixed = args_.muon_b * square + args_.muon_c * ops::matmul(square, square);
      x = args_.muon_a * x + ops::matmul(mixed, x);
    }
    return tall ? ops::transpose(x, {1, 0}) : x;
  }
};

const nn::RegisterOptimizer<MuonArgs> registered{"Muon", Muon};

}  // namespace

std::shared_ptr<Optimizer> Muon(const MuonArgs& args) {
  return std::make_shared<MuonRule>("Muon", args);
}

}  // namespace stoker::optimizers
