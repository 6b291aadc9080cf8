#include <algorithm>
#include <map>

#include "ops/infer.h"
#include "stoker/ops/matmul.h"
#include "stoker/ops/reduce.h"
#include "stoker/ops/shape_ops.h"

// An einsum of two tensors is one matrix product, with transposes and reshapes if the axes are not
// in order.
namespace stoker::ops {
namespace {

struct Side {
  Tensor x;
  std::string labels;
};
struct Equation {
  std::string a, b, out;
};

bool has(const std::string& labels, char label) { return labels.find(label) != std::string::npos; }

Equation parse(const std::string& equation) {
  std::string text = equation;
  std::erase(text, ' ');
  const size_t comma = text.find(','), arrow = text.find("->");
  const bool well_formed =
      comma != std::string::npos && arrow != std::string::npos && comma < arrow;
  expect(well_formed, fmt::format("equation \"{}\" is not of the form \"ab,bc->ac\".", equation));
  Equation e{text.substr(0, comma), text.substr(comma + 1, arrow - comma - 1),
             text.substr(arrow + 2)};
  for (const std::string* labels : {&e.a, &e.b, &e.out})
    for (size_t i = 0; i < labels->size(); ++i) {
      const char label = (*labels)[i];
      expect(std::isalpha(static_cast<unsigned char>(label)) != 0,
             fmt::format("equation \"{}\" has \"{}\" where a letter belongs.", equation, label));
      expect(labels->find(label) == i,
             fmt::format("equation \"{}\" has \"{}\" twice in \"{}\".", equation, label, *labels));
    }
  for (char label : e.out)
    expect(
        has(e.a, label) || has(e.b, label),
        fmt::format("equation \"{}\" has \"{}\" in the output, but in no input.", equation, label));
  return e;
}

using Sizes = std::map<char, int64_t>;

void add_sizes(Sizes& sizes, const Side& side, const std::string& equation) {
  const Shape& shape = side.x.shape();
  expect(shape.rank() == static_cast<int>(side.labels.size()),
         fmt::format("\"{}\" of equation \"{}\" does not fit {}.", side.labels, equation,
                     to_string(shape)));
  for (int i = 0; i < shape.rank(); ++i) {
    const char label = side.labels[static_cast<size_t>(i)];
    const auto [at, added] = sizes.try_emplace(label, shape[i]);
    expect(added || at->second == shape[i],
           fmt::format("\"{}\" of equation \"{}\" is {} on one side and {} on the other.", label,
                       equation, at->second, shape[i]));
  }
}

int64_t size_of_all(const Sizes& sizes, const std::string& labels) {
  int64_t size = 1;
  for (char label : labels) size *= sizes.at(label);
  return size;
}

// Axes that only one side has, and the result has not, are summed first.
Side without_lone(const Side& side, const std::string& other, const std::string& out) {
  std::vector<int64_t> lone;
  std::string kept;
  for (size_t i = 0; i < side.labels.size(); ++i)
    if (has(other, side.labels[i]) || has(out, side.labels[i]))
      kept += side.labels[i];
    else
      lone.push_back(static_cast<int64_t>(i));
  return lone.empty() ? side : Side{sum(side.x, {.axis = lone}), kept};
}

Tensor in_order(const Side& side, const std::string& wanted) {
  if (side.labels == wanted) return side.x;
  std::vector<int64_t> permutation;
  for (char label : wanted) permutation.push_back(static_cast<int64_t>(side.labels.find(label)));
  return transpose(side.x, permutation);
}

std::string those(const std::string& labels, const auto& wanted) {
  std::string found;
  for (char label : labels)
    if (wanted(label)) found += label;
  return found;
}

// The labels of a product in groups: (batch, left, inner) x (batch, inner, right).
struct Groups {
  std::string batch, left, right, inner;
};

// One operand as a matrix or a batch of them, without a copy if its axes allow.
struct Operand {
  Tensor x;
  bool transposed;
};
Operand matrix_of(const Side& side, const Groups& g, const std::string& rows,
                  const std::string& columns, const Sizes& sizes) {
  const bool transposed = side.labels == g.batch + columns + rows && !(rows.empty());
  const std::string &first = transposed ? columns : rows, &second = transposed ? rows : columns;
  const Tensor x = in_order(side, g.batch + first + second);
  Shape shape{size_of_all(sizes, first), size_of_all(sizes, second)};
  if (!g.batch.empty()) shape = shape.with_front(size_of_all(sizes, g.batch));
  return {reshape(x, shape), transposed};
}

Tensor multiply(const Side& a, const Side& b, const std::string& out, const Sizes& sizes) {
  Groups g;
  g.batch = those(out, [&](char c) { return has(a.labels, c) && has(b.labels, c); });
  g.left = those(out, [&](char c) { return !has(b.labels, c); });
  g.right = those(out, [&](char c) { return !has(a.labels, c); });
  g.inner = those(b.labels, [&](char c) { return !has(out, c); });
  const Operand left = matrix_of(a, g, g.left, g.inner, sizes),
                right = matrix_of(b, g, g.inner, g.right, sizes);
  const Tensor y =
      matmul(left.x, right.x, {.transpose_a = left.transposed, .transpose_b = right.transposed});
  const std::string order = g.batch + g.left + g.right;
  std::vector<int64_t> dims;
  for (char label : order) dims.push_back(sizes.at(label));
  return in_order({reshape(y, Shape(std::move(dims))), order}, out);
}

}  // namespace

Tensor einsum(const std::string& equation, const Tensor& a, const Tensor& b) {
  const Equation e = parse(equation);
  Side left{a, e.a}, right{b, e.b};
  Sizes sizes;
  add_sizes(sizes, left, equation);
  add_sizes(sizes, right, equation);
  left = without_lone(left, e.b, e.out);
  right = without_lone(right, e.a, e.out);
  // The operand whose own axes come last in the result is the right one: then it needs no
  // transpose.
  const auto last_of = [&](const Side& side, const Side& other) {
    const std::string own =
        those(e.out, [&](char c) { return has(side.labels, c) && !has(other.labels, c); });
    return own.empty() ? std::string::npos : e.out.find(own.back());
  };
  const size_t last_left = last_of(left, right), last_right = last_of(right, left);
  const bool swapped =
      last_left != std::string::npos && last_right != std::string::npos && last_left > last_right;
  return swapped ? multiply(right, left, e.out, sizes) : multiply(left, right, e.out, sizes);
}

}  // namespace stoker::ops
