#include <cmath>
#include <limits>

#include "ops/support.h"

namespace stoker::cpu {
namespace {

constexpr double never = -std::numeric_limits<double>::infinity();

double log_add(double a, double b) {
  const double top = std::max(a, b);
  return top == never ? never : top + std::log1p(std::exp(std::min(a, b) - top));
}

// One sample: the states are its labels with a blank (class 0) before, between and after them; a
// path stays, advances by one, or skips a blank between two different labels.
template <class T, class I>
class Paths {
 public:
  Paths(const I* labels, int64_t length, const T* log_p, int64_t times, int64_t classes,
        double* alpha)
      : labels_(labels), log_p_(log_p), times_(times), classes_(classes), alpha_(alpha) {
    for (int64_t i = 0; i < length; ++i) count_ += labels[i] != 0;
    states_ = 2 * count_ + 1;
    for (int64_t i = 0; i < count_; ++i)
      known_ = known_ && labels[i] >= 0 && static_cast<int64_t>(labels[i]) < classes;
  }

  // Returns the loss; `posterior` becomes the probability of each class at each time.
  double run(T* posterior, double* beta) {
    std::fill_n(posterior, times_ * classes_, T(0));
    if (!known_) return std::numeric_limits<double>::quiet_NaN();
    if (times_ == 0) return count_ == 0 ? 0 : -never;
    forward();
    const double* last = alpha_ + (times_ - 1) * states_;
    const double total = count_ == 0 ? last[0] : log_add(last[states_ - 1], last[states_ - 2]);
    if (total != never) backward(total, posterior, beta);
    return -total;
  }

 private:
  int64_t label(int64_t state) const {
    return state % 2 == 0 ? 0 : static_cast<int64_t>(labels_[state / 2]);
  }
  bool skips_to(int64_t state) const {
    return state % 2 == 1 && state >= 3 && label(state) != label(state - 2);
  }
  double log_p(int64_t time, int64_t state) const {
    return static_cast<double>(log_p_[time * classes_ + label(state)]);
  }

  void forward() {
    for (int64_t s = 0; s < states_; ++s) alpha_[s] = s < 2 ? log_p(0, s) : never;
    for (int64_t t = 1; t < times_; ++t) {
      const double* before = alpha_ + (t - 1) * states_;
      for (int64_t s = 0; s < states_; ++s) {
        double sum = s > 0 ? log_add(before[s], before[s - 1]) : before[s];
        if (skips_to(s)) sum = log_add(sum, before[s - 2]);
        alpha_[t * states_ + s] = sum + log_p(t, s);
      }
    }
  }

  // In place, from the lowest state: successors have higher indices.
  void backward(double total, T* posterior, double* beta) {
    for (int64_t s = 0; s < states_; ++s) beta[s] = s >= states_ - 2 ? 0 : never;
    for (int64_t t = times_ - 1; t >= 0; --t) {
      for (int64_t s = 0; s < states_; ++s)
        posterior[t * classes_ + label(s)] +=
            static_cast<T>(std::exp(alpha_[t * states_ + s] + beta[s] - total));
      if (t == 0) return;
      for (int64_t s = 0; s < states_; ++s) {
        double sum = beta[s] + log_p(t, s);
        if (s + 1 < states_) sum = log_add(sum, beta[s + 1] + log_p(t, s + 1));
        if (s + 2 < states_ && skips_to(s + 2)) sum = log_add(sum, beta[s + 2] + log_p(t, s + 2));
        beta[s] = sum;
      }
    }
  }

  const I* labels_;
  const T* log_p_;
  int64_t times_, classes_, count_ = 0, states_ = 0;
  bool known_ = true;
  double* alpha_;
};

std::unique_ptr<Kernel> plan(const NodeView& node, std::string& refusal) {
  const int64_t length = node.in[0].shape[1], batch = node.in[1].shape[0],
                times = node.in[1].shape[1], classes = node.in[1].shape[2];
  const int64_t states = 2 * length + 1, scratch = (times + 1) * states;
  return for_indices(node.in[0].dtype, refusal, [&](auto index) {
    return for_floats(node.in[1].dtype, refusal, [&](auto zero) {
      using I = decltype(index);
      using T = decltype(zero);
      const auto body = [=](void* const* p, void* workspace) {
        parallel_for(batch, grain_for(times * states), [&](int64_t begin, int64_t end) {
          for (int64_t b = begin; b < end; ++b) {
            double* alpha = static_cast<double*>(workspace) + b * scratch;
            Paths<T, I> paths(static_cast<const I*>(p[0]) + b * length, length,
                              static_cast<const T*>(p[1]) + b * times * classes, times, classes,
                              alpha);
            static_cast<T*>(p[2])[b] = static_cast<T>(
                paths.run(static_cast<T*>(p[3]) + b * times * classes, alpha + times * states));
          }
        });
      };
      return make_kernel(body, static_cast<uint64_t>(batch * scratch) * sizeof(double));
    });
  });
}

const RegisterKernel ctc_loss{"ctc_loss", "plain", reference, plan};

}  // namespace
}  // namespace stoker::cpu
