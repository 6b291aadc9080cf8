#include "nn/initializers/draw.h"
#include "nn/initializers/initializer_impl.h"
#include "stoker/initializers.h"

namespace stoker::initializers {

template <class V>
void visit(NormalArgs& a, V& v) {
  v("mean", a.mean);
  v("stddev", a.stddev);
  v("seed", a.seed);
}
template <class V>
void visit(UniformArgs& a, V& v) {
  v("minval", a.minval);
  v("maxval", a.maxval);
  v("seed", a.seed);
}

namespace {

const nn::RegisterInitializer<NormalArgs> normal{"RandomNormal", RandomNormal, {"normal"}};
const nn::RegisterInitializer<NormalArgs> truncated{"TruncatedNormal", TruncatedNormal};
const nn::RegisterInitializer<UniformArgs> uniform{"RandomUniform", RandomUniform, {"uniform"}};

}  // namespace

Initializer RandomNormal(const NormalArgs& args) {
  return nn::make_initializer<NormalArgs>(
      "RandomNormal", args, [](const NormalArgs& a, Array& out, uint64_t seed) {
        nn::draw_normal(out.mutable_data<float>(), seed, a.mean, a.stddev);
      });
}
Initializer TruncatedNormal(const NormalArgs& args) {
  return nn::make_initializer<NormalArgs>(
      "TruncatedNormal", args, [](const NormalArgs& a, Array& out, uint64_t seed) {
        nn::draw_truncated_normal(out.mutable_data<float>(), seed, a.mean, a.stddev);
      });
}
Initializer RandomUniform(const UniformArgs& args) {
  return nn::make_initializer<UniformArgs>(
      "RandomUniform", args, [](const UniformArgs& a, Array& out, uint64_t seed) {
        nn::draw_uniform(out.mutable_data<float>(), seed, a.minval, a.maxval);
      });
}

}  // namespace stoker::initializers
