#include "ops/op_case.h"
#include "support/random_values.h"

namespace stoker::testing {
namespace {

using Ints = std::vector<int64_t>;

// The element of `array` at these coordinates; 0 outside.
double element(const Array& array, const Ints& at) {
  int64_t flat = 0;
  for (size_t d = 0; d < at.size(); ++d) {
    const int64_t size = array.shape()[static_cast<int>(d)];
    if (at[d] < 0 || at[d] >= size) return 0;
    flat = flat * size + at[d];
  }
  return array.at(flat);
}

Ints coordinates(const Shape& shape, int64_t flat) {
  Ints at(static_cast<size_t>(shape.rank()));
  for (size_t d = at.size(); d-- > 0; flat /= shape[static_cast<int>(d)])
    at[d] = flat % shape[static_cast<int>(d)];
  return at;
}

OpCase transpose_case(const char* name, const Shape& shape, const Ints& permutation) {
  Ints dims;
  for (int64_t axis : permutation) dims.push_back(shape[static_cast<int>(axis)]);
  const Shape out{dims};
  const Plain plain = [=](const std::vector<Array>& in) {
    return from_index(out.size(), [&](int64_t i) {
      const Ints to = coordinates(out, i);
      Ints from(to.size());
      for (size_t d = 0; d < to.size(); ++d) from[static_cast<size_t>(permutation[d])] = to[d];
      return element(in[0], from);
    });
  };
  return {"transpose", name, {random_values(shape, 1)}, {{"permutation", permutation}}, plain};
}

// out[i] = in[i + shift], for slices (shift >= 0) and pads (shift <= 0).
OpCase shifted_case(const char* op, const char* name, const Shape& shape, const Shape& out,
                    const Ints& shift, graph::Attrs attrs) {
  const Plain plain = [=](const std::vector<Array>& in) {
    return from_index(out.size(), [&](int64_t i) {
      Ints at = coordinates(out, i);
      for (size_t d = 0; d < at.size(); ++d) at[d] += shift[d];
      return element(in[0], at);
    });
  };
  return {op, name, {random_values(shape, 1)}, std::move(attrs), plain};
}
OpCase slice_case(const char* name, const Shape& shape, const Ints& start, const Ints& size) {
  return shifted_case("slice", name, shape, Shape(size), start, {{"start", start}, {"size", size}});
}
OpCase pad_case(const char* name, const Shape& shape, const Ints& before, const Ints& after) {
  Shape out = shape;
  Ints shift;
  for (size_t d = 0; d < before.size(); ++d) {
    out[static_cast<int>(d)] += before[d] + after[d];
    shift.push_back(-before[d]);
  }
  return shifted_case("pad", name, shape, out, shift, {{"before", before}, {"after", after}});
}

OpCase concatenate_case(const char* name, const std::vector<Shape>& shapes, int64_t axis) {
  std::vector<Array> inputs;
  for (const Shape& shape : shapes) inputs.push_back(random_values(shape, inputs.size() + 1));
  const int at = normalize_axis(axis, shapes[0].rank());
  Shape out = shapes[0];
  for (size_t i = 1; i < shapes.size(); ++i) out[at] += shapes[i][at];
  const Plain plain = [=](const std::vector<Array>& in) {
    return from_index(out.size(), [&](int64_t i) {
      Ints position = coordinates(out, i);
      for (const Array& part : in) {
        if (position[static_cast<size_t>(at)] < part.shape()[at]) return element(part, position);
        position[static_cast<size_t>(at)] -= part.shape()[at];
      }
      return 0.0;
    });
  };
  return {"concatenate", name, inputs, {{"axis", axis}}, plain};
}

const Plain same = [](const std::vector<Array>& in) {
  return from_index(in[0].size(), [&](int64_t i) { return in[0].at(i); });
};

const AddCases transposes({transpose_case("matrix", {3, 5}, {1, 0}),
                           transpose_case("tiles", {35, 18}, {1, 0}),
                           transpose_case("batch", {2, 3, 4}, {0, 2, 1}),
                           transpose_case("rows_stay_whole", {3, 4, 5}, {1, 0, 2}),
                           transpose_case("cycle", {3, 4, 5}, {2, 0, 1}),
                           transpose_case("reverse", {2, 3, 4, 5}, {3, 2, 1, 0}),
                           transpose_case("identity", {3, 4}, {0, 1}),
                           transpose_case("ones", {1, 4, 1}, {2, 1, 0}),
                           transpose_case("scalar", {}, {}),
                           transpose_case("empty", {3, 0, 2}, {2, 1, 0}),
                           {"transpose",
                            "bytes",
                            {random_indices({3, 5}, 1, 99, DType::uint8)},
                            {{"permutation", Ints{1, 0}}}}},
                          {{"transpose",
                            "axis_twice",
                            {{DType::float32, {2, 3}}},
                            {{"permutation", Ints{0, 0}}},
                            "each of 2 axes"}});
const AddCases slices({slice_case("middle", {5, 7}, {1, 2}, {3, 4}),
                       slice_case("rows", {5, 7}, {2, 0}, {2, 7}),
                       slice_case("deep", {3, 4, 5}, {1, 1, 1}, {2, 2, 3}),
                       slice_case("nothing", {5, 7}, {5, 0}, {0, 7})},
                      {{"slice",
                        "outside",
                        {{DType::float32, {5}}},
                        {{"start", Ints{3}}, {"size", Ints{3}}},
                        "[3, 6)"}});
const AddCases pads({pad_case("around", {3, 4}, {1, 2}, {2, 0}),
                     pad_case("none", {3, 4}, {0, 0}, {0, 0}),
                     pad_case("rows", {2, 3, 4}, {0, 1, 0}, {0, 1, 0}),
                     pad_case("of_nothing", {0, 2}, {1, 0}, {1, 0})},
                    {{"pad",
                      "negative",
                      {{DType::float32, {5}}},
                      {{"before", Ints{-1}}, {"after", Ints{0}}},
                      "negative"}});
const AddCases concatenations({concatenate_case("rows", {{2, 3}, {1, 3}, {4, 3}}, 0),
                               concatenate_case("columns", {{2, 3}, {2, 1}}, -1),
                               concatenate_case("middle", {{2, 1, 3}, {2, 4, 3}}, 1),
                               concatenate_case("with_nothing", {{2, 3}, {2, 0}}, 1),
                               concatenate_case("single", {{2, 3}}, 1)},
                              {{"concatenate",
                                "other_axis",
                                {{DType::float32, {2, 3}}, {DType::float32, {3, 3}}},
                                {{"axis", int64_t{1}}},
                                "differ outside axis 1"}});
const AddCases reshapes(
    {{"reshape", "matrix", {random_values({3, 4}, 1)}, {{"shape", Ints{2, 6}}}, same},
     {"reshape", "to_scalar", {random_values({1}, 1)}, {{"shape", Ints{}}}, same}},
    {{"reshape", "other_size", {{DType::float32, {3, 4}}}, {{"shape", Ints{5}}}, "12 elements"},
     {"broadcast_to",
      "smaller",
      {{DType::float32, {3, 4}}},
      {{"shape", Ints{4}}},
      "cannot spread"}});

}  // namespace
}  // namespace stoker::testing
