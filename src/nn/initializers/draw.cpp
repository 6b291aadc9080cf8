#include "nn/initializers/draw.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/philox.h"
#include "core/round_up.h"
#include "core/thread_pool.h"

namespace stoker::nn {
namespace {

// Evaluates c[0] + c[1] x + c[2] x² …
template <size_t n>
float polynomial(float x, const float (&c)[n]) {
  float sum = c[n - 1];
  for (size_t i = n - 1; i-- > 0;) sum = sum * x + c[i];
  return sum;
}

constexpr size_t per_counter = 4;            // numbers that one call of Philox gives
constexpr size_t numbers_of_part = 1 << 16;  // for a thread

// The numbers from `begin` on, a multiple of per_counter.
template <class Map>
void draw_part(std::span<float> out, size_t begin, size_t end, const Philox& philox,
               const Map& map) {
  for (size_t i = begin; i < end; i += per_counter) {
    const auto words = philox(i / per_counter);
    for (size_t k = 0; k < std::min(per_counter, end - i); ++k) out[i + k] = map(words[k]);
  }
}

template <class Map>
void draw(std::span<float> out, uint64_t seed, const Map& map) {
  const Philox philox{seed};
  const size_t parts = ceil_div(out.size(), numbers_of_part);
  ThreadPool::global().run(static_cast<int>(parts), [&](int part) {
    const size_t begin = static_cast<size_t>(part) * numbers_of_part;
    draw_part(out, begin, std::min(begin + numbers_of_part, out.size()), philox, map);
  });
}

// In the open interval (0, 1): the middle of one of 2^23 equal parts.
float open_unit(uint32_t bits) { return (static_cast<float>(bits >> 9) + 0.5f) * 0x1p-23f; }

}  // namespace

// Giles's single-precision approximation of the inverse error function: one logarithm per number,
// where Box-Muller also needs a sine and a cosine.
float normal_quantile(float probability) {
  constexpr float centre[] = {1.50140941f,     0.246640727f,    -0.00417768164f,
                              -0.00125372503f, 0.00021858087f,  -4.39150654e-06f,
                              -3.5233877e-06f, 3.43273939e-07f, 2.81022636e-08f};
  constexpr float tails[] = {2.83297682f,    1.00167406f,     0.00943887047f,
                             -0.0076224613f, 0.00573950773f,  -0.00367342844f,
                             0.00134934322f, 0.000100950558f, -0.000200214257f};
  const float x = 2 * probability - 1;
  const float w = -std::log(4 * probability * (1 - probability));
  const float slope = w < 5 ? polynomial(w - 2.5f, centre) : polynomial(std::sqrt(w) - 3.0f, tails);
  return std::numbers::sqrt2_v<float> * slope * x;
}

void draw_uniform(std::span<float> out, uint64_t seed, double low, double high) {
  const auto start = static_cast<float>(low), width = static_cast<float>(high - low);
  draw(out, seed, [=](uint32_t bits) { return start + width * uniform_from_bits(bits); });
}

void draw_normal(std::span<float> out, uint64_t seed, double mean, double stddev) {
  const auto centre = static_cast<float>(mean), scale = static_cast<float>(stddev);
  draw(out, seed, [=](uint32_t bits) { return centre + scale * normal_quantile(open_unit(bits)); });
}

void draw_truncated_normal(std::span<float> out, uint64_t seed, double mean, double stddev) {
  const auto below =
      // the standard normal distribution function at -2
      static_cast<float>(0.5 * std::erfc(std::numbers::sqrt2));
  const auto centre = static_cast<float>(mean), scale = static_cast<float>(stddev);
  draw(out, seed, [=](uint32_t bits) {
    return centre + scale * normal_quantile(below + (1 - 2 * below) * open_unit(bits));
  });
}

}  // namespace stoker::nn
