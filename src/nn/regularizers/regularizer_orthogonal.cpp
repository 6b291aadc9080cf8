#include <fmt/format.h>

#include "nn/config/register.h"
#include "nn/unit_vectors.h"
#include "stoker/ops/elementwise.h"
#include "stoker/ops/matmul.h"
#include "stoker/ops/reduce.h"
#include "stoker/regularizers.h"

namespace stoker::regularizers {

template <class V>
void visit(OrthogonalRegularizerArgs& a, V& v) {
  v("factor", a.factor);
  v("mode", a.mode);
}

namespace {

Array off_diagonal(int64_t size) {
  Array ones(DType::float32, {size, size});
  for (int64_t i = 0; i < size * size; ++i)
    ones.mutable_data<float>()[static_cast<size_t>(i)] = i % (size + 1) == 0 ? 0.0F : 1.0F;
  return ones;
}

struct Orthogonality : Regularizer::Impl {
  OrthogonalRegularizerArgs args;

  explicit Orthogonality(OrthogonalRegularizerArgs given) : args(std::move(given)) {
    if (args.mode != "rows" && args.mode != "columns")
      throw InvalidArgument(fmt::format(
          "[orthogonal_regularizer] mode must be \"rows\" or \"columns\", got \"{}\".", args.mode));
    if (!(args.factor >= 0))
      throw InvalidArgument(fmt::format(
          "[orthogonal_regularizer] factor must not be negative, got {}.", args.factor));
    args.factor = static_cast<float>(args.factor);  // Keras stores it as float32
  }

  Tensor penalty(const Tensor& weight) const override {
    if (weight.shape().rank() != 2)
      throw InvalidArgument(fmt::format("[orthogonal_regularizer] takes matrices, got a weight {}.",
                                        to_string(weight.shape())));
    const bool rows = args.mode == "rows";
    const Tensor unit = nn::unit_vectors(weight, {rows ? 1 : 0});
    const Tensor products = ops::matmul(unit, unit, {.transpose_a = !rows, .transpose_b = rows});
    const auto size = weight.shape()[rows ? 0 : 1];
    const Tensor others = ops::cast(off_diagonal(size), weight.dtype());
    const auto pairs = static_cast<double>(size) * (static_cast<double>(size) - 1) / 2;
    return ops::sum(ops::abs(products * others)) * (args.factor * 0.5 / pairs);
  }
  std::string class_name() const override { return "OrthogonalRegularizer"; }
  Config get_config() const override { return nn::write_args(args); }
};

const nn::Register<OrthogonalRegularizerArgs, Regularizer> registered{
    "OrthogonalRegularizer", OrthogonalRegularizer, {"orthogonal_regularizer"}};

}  // namespace

Regularizer OrthogonalRegularizer(const OrthogonalRegularizerArgs& args) {
  return Regularizer(std::make_shared<const Orthogonality>(args));
}

}  // namespace stoker::regularizers
