#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "nn/initializers/draw.h"
#include "nn/initializers/initializer_impl.h"
#include "stoker/initializers.h"

namespace stoker::initializers {

template <class V>
void visit(OrthogonalArgs& a, V& v) {
  v("gain", a.gain);
  v("seed", a.seed);
}

namespace {

using Vectors = std::vector<std::vector<double>>;

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// Gram-Schmidt; each vector is orthogonalised twice against rounding errors. The diagonal of R is
// positive, which makes the result uniformly distributed over all orthogonal matrices.
void orthonormalize(Vectors& vectors) {
  for (size_t i = 0; i < vectors.size(); ++i) {
    for (size_t j = 0; j < 2 * i; ++j) {
      const auto& done = vectors[j % i];
      const double along = dot(done, vectors[i]);
      for (size_t k = 0; k < done.size(); ++k) vectors[i][k] -= along * done[k];
    }
    const double length = std::sqrt(dot(vectors[i], vectors[i]));
    for (double& value : vectors[i]) value /= length;
  }
}

void fill(const OrthogonalArgs& args, Array& out, uint64_t seed) {
  if (out.shape().rank() < 2)
    throw InvalidArgument(fmt::format(
        "[orthogonal] needs a shape of at least two dimensions, not {}.", to_string(out.shape())));
  const auto columns = static_cast<size_t>(out.shape().back());
  const size_t rows = static_cast<size_t>(out.size()) / columns;
  auto numbers = out.mutable_data<float>();
  nn::draw_normal(numbers, seed, 0, 1);
  // Orthonormalises the columns of a tall matrix or the rows of a wide one.
  const bool tall = rows >= columns;
  Vectors vectors(std::min(rows, columns), std::vector<double>(std::max(rows, columns)));
  const auto at = [&](size_t i, size_t k) -> float& {
    return tall ? numbers[k * columns + i] : numbers[i * columns + k];
  };
  for (size_t i = 0; i < vectors.size(); ++i)
    for (size_t k = 0; k < vectors[i].size(); ++k) vectors[i][k] = at(i, k);
  orthonormalize(vectors);
  for (size_t i = 0; i < vectors.size(); ++i)
    for (size_t k = 0; k < vectors[i].size(); ++k)
      at(i, k) = static_cast<float>(args.gain * vectors[i][k]);
}

const nn::RegisterInitializer<OrthogonalArgs> registered{
    "Orthogonal", Orthogonal, {"OrthogonalInitializer"}};

}  // namespace

Initializer Orthogonal(const OrthogonalArgs& args) {
  return nn::make_initializer("Orthogonal", args, fill);
}

}  // namespace stoker::initializers
