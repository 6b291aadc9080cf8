#pragma once
#include "distribution/slice.h"
#include "nn/layers/args_layer.h"
#include "nn/random_seed.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/random.h"

namespace stoker::nn {

// The random numbers of one call. Each tensor drawn has its own key.
class Draws {
 public:
  explicit Draws(Tensor state) : state_(std::move(state)) {}
  Tensor uniform(const Shape& shape) { return ops::random_uniform(shape, next(), state_); }
  Tensor uniform(const Shape& shape, double low, double high) {
    return uniform(shape) * (high - low) + low;
  }
  // One row of numbers for all rows of a batch: the same on all ranks, even if a rank has one row.
  Tensor uniform_for_all(const Shape& shape, double low = 0, double high = 1) {
    const distribution::SliceScope no_slice({});
    return uniform(shape, low, high);
  }
  Tensor normal(const Shape& shape) { return ops::random_normal(shape, next(), state_); }

 private:
  uint64_t next() { return ++drawn_; }
  uint64_t drawn_ = 0;
  Tensor state_;
};

// A layer whose random numbers in training depend only on its random state.
template <class Args>
class RandomLayer : public ArgsLayer<Args> {
 public:
  using ArgsLayer<Args>::ArgsLayer;

  void build(const Shape&) override {
    state_ = this->add_state("random", first_random_state(this->args_.seed));
  }

 protected:
  Draws draws() {
    const Tensor state = state_;
    state_.assign(state + 1.0);
    return Draws(state);
  }
  void expect_share(const char* argument, double value) const {
    if (!(value >= 0 && value <= 1))
      this->fail(fmt::format("{} must be between 0 and 1, got {}.", argument, value));
  }

 private:
  Variable state_;
};

}  // namespace stoker::nn
