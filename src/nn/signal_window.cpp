#include "nn/signal_window.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "stoker/error.h"
#include "stoker/suggest.h"

namespace stoker::nn {
namespace {

// Cosine-sum windows with their published coefficients and SciPy's names.
struct CosineWindow {
  const char* name;
  std::vector<double> coefficients;
};
const std::vector<CosineWindow>& cosine_windows() {
  static const std::vector<CosineWindow> windows{
      {"boxcar", {1}},
      {"hann", {0.5, 0.5}},
      {"hamming", {0.54, 0.46}},
      {"blackman", {0.42, 0.5, 0.08}},
      {"blackmanharris", {0.35875, 0.48829, 0.14128, 0.01168}},
      {"nuttall", {0.3635819, 0.4891775, 0.1365995, 0.0106411}},
      {"flattop", {0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368}}};
  return windows;
}

const std::vector<double>& coefficients_of(const std::string& name) {
  std::vector<std::string> known;
  for (const CosineWindow& window : cosine_windows()) {
    if (name == window.name) return window.coefficients;
    known.emplace_back(window.name);
  }
  throw InvalidArgument(fmt::format("unknown window \"{}\".", name), did_you_mean(name, known));
}

std::vector<float> cosine_window(const std::vector<double>& coefficients, int64_t length,
                                 bool periodic) {
  std::vector<float> values(static_cast<size_t>(length), 1.0F);
  if (length == 1) return values;
  const auto span = static_cast<double>(periodic ? length : length - 1);
  for (size_t i = 0; i < values.size(); ++i) {
    const double angle = std::numbers::pi * (2 * static_cast<double>(i) / span - 1);
    double sum = 0;
    for (size_t k = 0; k < coefficients.size(); ++k)
      sum += coefficients[k] * std::cos(static_cast<double>(k) * angle);
    values[i] = static_cast<float>(sum);
  }
  return values;
}

// A list of numbers, or Keras's form of an array.
std::vector<float> given_numbers(const Config& window) {
  const Config* inner = window.is_map() ? window.find("config") : nullptr;
  const Config* list = inner ? inner->find("value") : &window;
  if (!list || !list->is_list())
    throw InvalidArgument(
        fmt::format("a window is a name or a list of numbers, got {}.", window.to_string()));
  std::vector<float> values;
  for (const Config& number : list->as_list())
    values.push_back(static_cast<float>(number.as_double()));
  return values;
}

}  // namespace

std::vector<float> signal_window(const Config& window, int64_t length, bool periodic) {
  if (window.is_null()) return std::vector<float>(static_cast<size_t>(length), 1.0F);
  if (window.is_string())
    return cosine_window(coefficients_of(window.as_string()), length, periodic);
  auto values = given_numbers(window);
  if (static_cast<int64_t>(values.size()) != length)
    throw InvalidArgument(
        fmt::format("the window has {} numbers for {} samples.", values.size(), length));
  return values;
}

void check_signal_window(const Config& window) {
  if (window.is_string())
    coefficients_of(window.as_string());
  else if (!window.is_null())
    given_numbers(window);
}

}  // namespace stoker::nn
