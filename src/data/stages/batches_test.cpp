#include <gtest/gtest.h>

#include "data/stage.h"
#include "io/test_files.h"

// Batches of rows of arrays, of views, and of elements whose shapes change.
namespace stoker::data {
namespace {

using Numbers = std::vector<int64_t>;

Numbers numbers(const Array& array) {
  Numbers all;
  for (int64_t i = 0; i < array.size(); ++i) all.push_back(static_cast<int64_t>(array.at(i)));
  return all;
}
Numbers read(const Dataset& dataset, int64_t skip = 0) {
  Workers workers(3);
  const auto cursor = dataset.stage()->open({.workers = &workers});
  EXPECT_EQ(cursor->skip(skip), skip);
  Numbers all;
  for (Element batch; cursor->next(batch);)
    for (const int64_t value : numbers(batch.array())) all.push_back(value);
  return all;
}
Numbers range(int64_t begin, int64_t end) {
  Numbers all;
  for (int64_t i = begin; i < end; ++i) all.push_back(i);
  return all;
}
Array counted(int64_t rows, int64_t width) {
  return Array::from(range(0, rows * width), {rows, width});
}
Array same(const Array& x) { return x; }

TEST(Batches, HaveTheRowsOfViews) {
  const Array some = counted(40, 3).rows(7, 33);
  const Dataset slices = Dataset::from_tensor_slices(some);
  EXPECT_EQ(read(slices.batch(4)), range(21, 99));
  EXPECT_EQ(read(slices.skip(2).take(20).batch(4)), range(27, 87));
  const Dataset twice = Dataset::from_tensor_slices(some.rows(10, 20).reshape({15, 2}));
  EXPECT_EQ(read(twice.batch(4)), range(51, 81));
  EXPECT_EQ(to_string(twice.batch(5).element_spec()), "int64(5, 2)");
}

// Rows of arrays are copied by the reading thread, other elements are made by workers: a change
// from one to the other within the data keeps the order.
TEST(Batches, KeepTheOrderWhereRowsComeAsAWhole) {
  const auto slices = [](int64_t begin, int64_t end) {
    return Dataset::from_tensor_slices(counted(end, 1).rows(begin, end));
  };
  const Dataset first = slices(0, 10).concatenate(slices(10, 31).map(same)),
                second = slices(31, 33).map(same).concatenate(slices(33, 60));
  for (const int64_t size : {1, 2, 3, 7, 50}) {
    const Dataset batches = first.concatenate(second).batch(size);
    EXPECT_EQ(read(batches), range(0, 60));
    if (size * 8 < 60) {
      EXPECT_EQ(read(batches, 8), range(size * 8, 60));
    }
  }
}

// Six elements of two numbers, then six of three.
TEST(Batches, BindNoLaterBatchToTheirShape) {
  const auto widened = [](const Array& x) {
    return Array(DType::float32, Shape{x.at(0) < 6 ? 2 : 3});
  };
  const Dataset widths = Dataset::range(12).map(widened, {.num_parallel_calls = 2});
  for (const Dataset& source : {widths, widths.filter([](const Array&) { return true; })}) {
    std::vector<std::string> shapes;
    for (const Array& batch : source.batch(3)) shapes.push_back(to_string(batch.shape()));
    EXPECT_EQ(shapes, (std::vector<std::string>{"(3, 2)", "(3, 2)", "(3, 3)", "(3, 3)"}));
    EXPECT_ERROR(source.batch(4).as_list(), "element 6 is float32(3,), but element 4 is float32(2");
  }
  const auto slices = [](int64_t width) { return Dataset::from_tensor_slices(counted(4, width)); };
  EXPECT_EQ(slices(2).concatenate(slices(5)).batch(2).as_list()[3].array().shape(), (Shape{2, 5}));
}

TEST(PaddedBatches, AreAsManyAsBatches) {
  for (const int64_t count : {0, 1, 5, 6})
    for (const bool drops : {false, true}) {
      const Dataset padded = Dataset::range(count).padded_batch(3, {.drop_remainder = drops});
      EXPECT_EQ(padded.cardinality(), Dataset::range(count).batch(3, {drops}).cardinality());
      EXPECT_EQ(static_cast<int64_t>(padded.as_list().size()), padded.cardinality());
    }
}

TEST(PaddedBatches, KnowTheirShapeIfItDependsOnNoElement) {
  const auto spec = [](const Dataset& dataset) { return to_string(dataset.element_spec()); };
  EXPECT_EQ(spec(Dataset::range(7).padded_batch(3)), "int64(None,)");
  EXPECT_EQ(spec(Dataset::range(7).padded_batch(3, {.drop_remainder = true})), "int64(3,)");
  const ElementSpec vectors{.arrays = {{DType::int64, Shape{unknown}}}};
  const auto none = []() -> Dataset::Generator { return [] { return std::nullopt; }; };
  const Dataset ragged = Dataset::from_generator(none, vectors);
  EXPECT_EQ(spec(ragged.padded_batch(2, {.padded_shapes = {{8}}})), "int64(None, 8)");
  EXPECT_ERROR(ragged.padded_batch(2).element_spec(), "the dataset is empty");
}

TEST(PaddedBatches, RefuseShapesAndValuesThatDoNotFit) {
  const Dataset pairs = Dataset::range(3).enumerate();
  EXPECT_ERROR(pairs.padded_batch(2, {.padded_shapes = {{}}}).as_list(),
               "padded_shapes has 1 shapes, but elements have 2 arrays");
  EXPECT_ERROR(pairs.padded_batch(2, {.padding_values = {1, 2, 3}}).as_list(),
               "padding_values has 3 values, but elements have 2 arrays");
  const Dataset bytes = Dataset::from_tensors(Array::from<uint8_t>({1}, {1}));
  const auto padded = [&](const PaddingValue& value) {
    return bytes.padded_batch(1, {.padded_shapes = {{2}}, .padding_values = {value}}).as_list();
  };
  EXPECT_EQ(padded(255)[0].array().at(1), 255);
  EXPECT_ERROR(padded(256), "the padding value 256 is no uint8");
  EXPECT_ERROR(padded(-1), "the padding value -1 is no uint8");
  EXPECT_ERROR(padded(0.5), "the padding value 0.5 is no uint8");
  EXPECT_ERROR(padded(1e300), "is no uint8");
  EXPECT_ERROR(padded("x"), "the padding value of array 0 is a string, but the array has numbers");
  EXPECT_ERROR(pairs.padded_batch(2, {.padding_values = {0, "x"}}).as_list(),
               "the padding value of array 1 is a string");
}

TEST(PaddedBatches, PadWithExactIntegersAndStrings) {
  const int64_t large = (int64_t{1} << 53) + 1;
  const Dataset both =
      Dataset::from_tensors({Array::from<int64_t>({1}, {1}), Array::strings({"a"}, {1})});
  const auto padded = [&](const std::vector<PaddingValue>& values) {
    return both.padded_batch(1, {.padded_shapes = {{2}, {3}}, .padding_values = values})
        .get_single_element();
  };
  using Texts = std::vector<std::string>;
  const Element own = padded({large, "pad"});
  EXPECT_EQ(own[0].array().data<int64_t>()[1], large);
  EXPECT_EQ(own[1].array().texts(), (Texts{"a", "pad", "pad"}));
  const Element number = padded({-1}), text = padded({"x"}), none = padded({});
  EXPECT_EQ(number[0].array().data<int64_t>()[1], -1);
  EXPECT_EQ(number[1].array().texts(), (Texts{"a", "", ""}));
  EXPECT_EQ(text[0].array().data<int64_t>()[1], 0);
  EXPECT_EQ(text[1].array().texts(), (Texts{"a", "x", "x"}));
  EXPECT_EQ(none[1].array().texts(), (Texts{"a", "", ""}));
}

// As tf.data gives them.
TEST(Rebatch, TakesSizesInTurn) {
  const auto rows = [](const Dataset& dataset) {
    std::vector<std::vector<double>> all;
    for (const Array& batch : dataset) {
      all.emplace_back();
      for (int64_t i = 0; i < batch.size(); ++i) all.back().push_back(batch.at(i));
    }
    return all;
  };
  using Rows = std::vector<std::vector<double>>;
  for (const bool by_number : {true, false}) {
    Dataset fours = Dataset::range(14).batch(4);
    if (!by_number) fours = fours.filter([](const Array&) { return true; });
    const Rows want{{0, 1, 2, 3, 4}, {5, 6, 7}, {8}, {9, 10, 11, 12, 13}};
    EXPECT_EQ(rows(fours.rebatch({5, 3, 1})), want);
    EXPECT_EQ(rows(fours.rebatch({5, 3, 1}).skip(2)), Rows(want.begin() + 2, want.end()));
    EXPECT_EQ(rows(fours.rebatch({6, 5}, {.drop_remainder = true})),
              (Rows{{0, 1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}}));
    const ExplainedBatch batch = fours.rebatch({5, 3, 1}).explain({.step = 1, .seed = 0});
    ASSERT_EQ(batch.samples.size(), 3u);
  }
  const Dataset known = Dataset::range(16).batch(4);  // all of one size: the number is known
  EXPECT_EQ(known.rebatch({5, 3, 1}).cardinality(), 5);
  EXPECT_EQ(rows(known.rebatch({5, 3, 1})).size(), 5u);
  EXPECT_EQ(known.rebatch({5, 4}, {.drop_remainder = true}).cardinality(), 3);
  EXPECT_EQ(known.rebatch(std::vector<int64_t>{6}, {.drop_remainder = true}).cardinality(), 2);
  EXPECT_EQ(known.repeat().rebatch({5, 3}).cardinality(), INFINITE_CARDINALITY);
  EXPECT_ERROR(known.rebatch(std::vector<int64_t>{2, 0}), "batch sizes must be positive, got 2, 0");
  EXPECT_ERROR(known.rebatch(std::vector<int64_t>{}), "batch sizes must be positive, got none");
}

TEST(GetSingleElement, NeedsExactlyOne) {
  EXPECT_EQ(Dataset::range(7, 8).get_single_element().array().at(0), 7);
  EXPECT_ERROR(Dataset::range(0).get_single_element(), "the dataset is empty");
  EXPECT_ERROR(Dataset::range(2).get_single_element(), "the dataset has more than one element");
}

}  // namespace
}  // namespace stoker::data
