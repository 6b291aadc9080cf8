#include "nn/layers/core/einsum_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "stoker/error.h"

namespace stoker::nn {
namespace {

constexpr const char* dots = "...";

void expect(bool ok, const std::string& what) {
  if (!ok) throw InvalidArgument("[einsum_dense] " + what);
}

struct Labels {
  std::string input, kernel, output;
};

Labels split(const std::string& equation) {
  std::string text = equation;
  std::erase(text, ' ');
  const size_t comma = text.find(','), arrow = text.find("->");
  expect(comma != std::string::npos && arrow != std::string::npos && comma < arrow,
         fmt::format("equation \"{}\" must be like \"abc,cd->abd\", \"...x,xy->...y\" or "
                     "\"ab...,bc->ac...\".",
                     equation));
  return {text.substr(0, comma), text.substr(comma + 1, arrow - comma - 1), text.substr(arrow + 2)};
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Letters that the equation does not use.
std::string unused(const Labels& labels, int count) {
  const std::string taken = labels.input + labels.kernel + labels.output;
  std::string found;
  for (char c = 'A'; c <= 'Z' && static_cast<int>(found.size()) < count; ++c)
    if (taken.find(c) == std::string::npos) found += c;
  return found;
}

// Replaces "..." by letters, one for each such axis of the input.
Labels spelled_out(Labels labels, const std::string& equation, int rank) {
  const auto letters = static_cast<int>(std::ranges::count_if(labels.input, is_letter));
  const bool elided = labels.input.find(dots) != std::string::npos;
  expect(elided ? letters <= rank : letters == rank,
         fmt::format("equation \"{}\" does not fit an input with {} axes.", equation, rank));
  const std::string more = elided ? unused(labels, rank - letters) : "";
  for (std::string* side : {&labels.input, &labels.output}) {
    const size_t at = side->find(dots);
    expect(
        (at != std::string::npos) == elided,
        fmt::format("equation \"{}\" needs \"...\" in both the input and the output.", equation));
    if (elided) side->replace(at, 3, more);
  }
  for (const std::string* side : {&labels.input, &labels.kernel, &labels.output})
    expect(std::ranges::all_of(*side, is_letter),
           fmt::format("equation \"{}\" may have letters and one \"...\" per side.", equation));
  return labels;
}

using LetterSizes = std::map<char, int64_t>;

// Sizes of the output's letters: sizes missing in output_shape come from the input.
LetterSizes output_sizes(const Labels& labels, const LetterSizes& inputs, const Shape& given,
                         bool left_elided, int elided) {
  const auto rank = static_cast<int>(labels.output.size());
  std::vector<int64_t> dims{unknown};
  if (left_elided) dims.resize(static_cast<size_t>(std::max(elided, 1)), unknown);
  dims.insert(dims.end(), given.begin(), given.end());
  if (!left_elided) dims.resize(dims.size() + static_cast<size_t>(elided), unknown);
  expect(static_cast<int>(dims.size()) == rank,
         fmt::format("output_shape {} does not fit the result \"{}\".", to_string(given),
                     labels.output));
  LetterSizes sizes;
  for (int i = 0; i < rank; ++i) {
    const char label = labels.output[static_cast<size_t>(i)];
    const auto input = inputs.find(label);
    int64_t size = dims[static_cast<size_t>(i)];
    if (input != inputs.end()) {
      expect(size == unknown || input->second == unknown || size == input->second,
             fmt::format("output_shape says {} for \"{}\", the input {}.", size, label,
                         input->second));
      if (size == unknown) size = input->second;
    }
    sizes[label] = size;
  }
  return sizes;
}

Shape bias_shape(const std::string& axes, const std::string& output, const LetterSizes& sizes) {
  if (axes.empty()) return {};
  size_t first = output.size();
  for (char axis : axes) {
    const size_t at = output.find(axis);
    expect(at != std::string::npos,
           fmt::format("bias_axes \"{}\" has \"{}\", which is not in the result \"{}\".", axes,
                       axis, output));
    first = std::min(first, at);
  }
  std::vector<int64_t> dims;
  for (size_t i = first; i < output.size(); ++i)
    dims.push_back(axes.find(output[i]) == std::string::npos ? 1 : sizes.at(output[i]));
  return Shape(std::move(dims));
}

}  // namespace

EinsumShapes einsum_shapes(const std::string& equation, const std::string& bias_axes,
                           const Shape& input, const Shape& output) {
  const Labels given = split(equation);
  const Labels labels = spelled_out(given, equation, input.rank());
  const bool elided = given.input.find(dots) != std::string::npos;
  LetterSizes inputs;
  for (int i = 0; i < input.rank(); ++i) inputs[labels.input[static_cast<size_t>(i)]] = input[i];
  const LetterSizes outputs =
      output_sizes(labels, inputs, output, elided && given.input.starts_with(dots),
                   input.rank() - static_cast<int>(std::ranges::count_if(given.input, is_letter)));
  EinsumShapes shapes{labels.input + "," + labels.kernel + "->" + labels.output, {}, {}, {1, 1}};
  std::vector<int64_t> kernel;
  for (char label : labels.kernel) {
    const bool reaches = outputs.contains(label);
    expect(reaches || inputs.contains(label),
           fmt::format("\"{}\" of the kernel is in neither the input nor the result of \"{}\".",
                       label, equation));
    kernel.push_back(reaches ? outputs.at(label) : inputs.at(label));
    expect(kernel.back() != unknown, fmt::format("needs to know \"{}\" of \"{}\"; the input is {}.",
                                                 label, equation, to_string(input)));
    shapes.fans[reaches ? 1 : 0] *= kernel.back();
  }
  shapes.kernel = Shape(std::move(kernel));
  shapes.bias = bias_shape(bias_axes, labels.output, outputs);
  return shapes;
}

}  // namespace stoker::nn
