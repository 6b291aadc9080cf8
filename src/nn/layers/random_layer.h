#pragma once
#include "nn/layers/args_layer.h"
#include "nn/random_seed.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/random.h"

namespace stoker::nn {

// Random numbers of one call. Each tensor that is drawn has a seed of its own.
class Draws {
 public:
  Draws(uint64_t seed, Tensor calls) : seed_(seed), calls_(std::move(calls)) {}
  Tensor uniform(const Shape& shape) { return ops::random_uniform(shape, next(), calls_); }
  Tensor uniform(const Shape& shape, double low, double high) {
    return uniform(shape) * (high - low) + low;
  }
  Tensor normal(const Shape& shape) { return ops::random_normal(shape, next(), calls_); }

 private:
  uint64_t next() { return seed_ + 0x9E3779B97F4A7C15ULL * drawn_++; }
  uint64_t seed_, drawn_ = 0;
  Tensor calls_;
};

// A layer whose numbers in training depend on its seed and the number of calls so far alone.
template <class Args>
class RandomLayer : public ArgsLayer<Args> {
 public:
  using ArgsLayer<Args>::ArgsLayer;

  void build(const Shape&) override {
    const auto& given = this->args_.seed;
    seed_ = given ? static_cast<uint64_t>(*given) : next_seed();
    calls_ = this->add_state("calls", Array::scalar(int64_t{0}));
  }

 protected:
  Draws draws() {
    const Tensor calls = calls_;
    calls_.assign(calls + 1.0);
    return {seed_, calls};
  }
  void expect_share(const char* argument, double value) const {
    if (!(value >= 0 && value <= 1))
      this->fail(fmt::format("{} must be between 0 and 1, got {}.", argument, value));
  }

 private:
  uint64_t seed_ = 0;
  Variable calls_;
};

}  // namespace stoker::nn
