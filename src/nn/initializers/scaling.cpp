#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "nn/initializers/draw.h"
#include "nn/initializers/initializer_impl.h"
#include "stoker/initializers.h"

namespace stoker::initializers {

template <class V>
void visit(VarianceScalingArgs& a, V& v) {
  v("scale", a.scale);
  v("mode", a.mode);
  v("distribution", a.distribution);
  v("seed", a.seed);
  v("input_axes", a.input_axes);
  v("output_axes", a.output_axes);
}
template <class V>
void visit(ScaledArgs& a, V& v) {
  v("seed", a.seed);
  v("input_axes", a.input_axes);
  v("output_axes", a.output_axes);
}

namespace {

constexpr double truncated_stddev = 0.87962566103423978;  // of a standard normal truncated at ±2

void expect_one_of(const char* argument, const std::string& value,
                   const std::vector<std::string>& known) {
  if (std::ranges::find(known, value) == known.end())
    throw InvalidArgument(fmt::format("[variance_scaling] unknown {} \"{}\".", argument, value),
                          did_you_mean(value, known));
}

double product_of(const Shape& shape, const std::vector<int64_t>& axes) {
  double product = 1;
  for (int64_t axis : axes) {
    if (axis < -shape.rank() || axis >= shape.rank())
      throw InvalidArgument(
          fmt::format("[variance_scaling] axis {} is out of range for a weight of shape {}.", axis,
                      to_string(shape)));
    product *= static_cast<double>(shape[static_cast<int>(axis)]);
  }
  return product;
}

// fan_in and fan_out: {in, out}.
std::pair<double, double> fans(const Shape& shape, const Axes& inputs, const Axes& outputs) {
  if (inputs && outputs) return {product_of(shape, *inputs), product_of(shape, *outputs)};
  if (shape.rank() == 0) return {1, 1};
  if (shape.rank() == 1) return {shape[0], shape[0]};
  double receptive_field = 1;
  for (int i = 0; i < shape.rank() - 2; ++i) receptive_field *= static_cast<double>(shape[i]);
  return {receptive_field * static_cast<double>(shape[-2]),
          receptive_field * static_cast<double>(shape[-1])};
}

double fan(const Shape& shape, const VarianceScalingArgs& args) {
  const auto [in, out] = fans(shape, args.input_axes, args.output_axes);
  return std::max(1.0, args.mode == "fan_in" ? in : args.mode == "fan_out" ? out : (in + out) / 2);
}

void fill(const VarianceScalingArgs& args, Array& out, uint64_t seed) {
  const double variance = args.scale / fan(out.shape(), args), stddev = std::sqrt(variance);
  auto numbers = out.mutable_data<float>();
  if (args.distribution == "uniform")
    nn::draw_uniform(numbers, seed, -std::sqrt(3 * variance), std::sqrt(3 * variance));
  else if (args.distribution == "untruncated_normal")
    nn::draw_normal(numbers, seed, 0, stddev);
  else
    nn::draw_truncated_normal(numbers, seed, 0, stddev / truncated_stddev);
}

const nn::RegisterInitializer<VarianceScalingArgs> registered{"VarianceScaling", VarianceScaling};

}  // namespace

Initializer VarianceScaling(const VarianceScalingArgs& args) {
  expect_one_of("mode", args.mode, {"fan_in", "fan_out", "fan_avg"});
  expect_one_of("distribution", args.distribution,
                {"truncated_normal", "untruncated_normal", "normal", "uniform"});
  if (args.scale <= 0)
    throw InvalidArgument(
        fmt::format("[variance_scaling] scale must be positive, got {}.", args.scale));
  return nn::make_initializer("VarianceScaling", args, fill);
}

// The named special cases.
#define STOKER_SCALED(name, factor, fan_mode, kind)                                   \
  Initializer name(const ScaledArgs& args) {                                          \
    return nn::make_initializer<ScaledArgs>(                                          \
        #name, args, [](const ScaledArgs& a, Array& out, uint64_t seed) {             \
          fill({factor, fan_mode, kind, {}, a.input_axes, a.output_axes}, out, seed); \
        });                                                                           \
  }                                                                                   \
  static const nn::RegisterInitializer<ScaledArgs> name##_registered{#name, name};

STOKER_SCALED(GlorotUniform, 1, "fan_avg", "uniform")
STOKER_SCALED(GlorotNormal, 1, "fan_avg", "truncated_normal")
STOKER_SCALED(HeUniform, 2, "fan_in", "uniform")
STOKER_SCALED(HeNormal, 2, "fan_in", "truncated_normal")
STOKER_SCALED(LecunUniform, 1, "fan_in", "uniform")
STOKER_SCALED(LecunNormal, 1, "fan_in", "truncated_normal")
#undef STOKER_SCALED

}  // namespace stoker::initializers
