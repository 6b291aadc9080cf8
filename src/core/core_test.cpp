#include <gtest/gtest.h>

#include "stoker/array.h"
#include "stoker/config.h"
#include "stoker/suggest.h"

namespace stoker {
namespace {

TEST(Shape, BroadcastsLikeNumpy) {
  EXPECT_EQ(broadcast({3, 1}, {4}), (Shape{3, 4}));
  EXPECT_EQ(broadcast({}, {2, 0}), (Shape{2, 0}));
  EXPECT_THROW(broadcast({3}, {4}), InvalidArgument);
}

TEST(Shape, AxesCountFromEitherEnd) {
  EXPECT_EQ(normalize_axis(-1, 3), 2);
  EXPECT_EQ(normalize_axis(0, 3), 0);
  EXPECT_THROW(normalize_axis(3, 3), InvalidArgument);
  EXPECT_THROW(normalize_axis(-4, 3), InvalidArgument);
  EXPECT_THROW(normalize_axis(0, 0), InvalidArgument);
}

TEST(Shape, PrintsLikeKeras) {
  EXPECT_EQ(to_string(Shape{unknown, 28}), "(None, 28)");
  EXPECT_EQ(to_string(Shape{5}), "(5,)");
  EXPECT_EQ(to_string(Shape{}), "()");
}

TEST(DType, NamesRoundTrip) {
  for (int i = 0; i < num_dtypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(parse_dtype(name_of(dtype)), dtype);
  }
  EXPECT_THROW(parse_dtype("float31"), InvalidArgument);
}

TEST(Array, RowsAreAViewAndCloneIsNot) {
  Array array = Array::from<int32_t>({1, 2, 3, 4, 5, 6}, {3, 2});
  const Array rows = array.rows(1, 3), copy = array.clone();
  array.mutable_data<int32_t>()[2] = 30;
  EXPECT_EQ(rows.shape(), (Shape{2, 2}));
  EXPECT_EQ(rows.at(0), 30);
  EXPECT_EQ(copy.at(2), 3);
  EXPECT_THROW(array.data<float>(), InvalidArgument);
}

TEST(Array, ReshapeFindsTheFreeDimension) {
  const Array array(DType::float32, {4, 6});
  EXPECT_EQ(array.reshape({-1, 3}).shape(), (Shape{8, 3}));
  EXPECT_THROW(array.reshape({5, 5}), InvalidArgument);
}

TEST(Array, AstypeConvertsBetweenAll) {
  const Array source = Array::from<double>({0, 1, 100}, {3});
  for (int from = 0; from < num_dtypes; ++from)
    for (int to = 0; to < num_dtypes; ++to) {
      const Array there = source.astype(static_cast<DType>(from)).astype(static_cast<DType>(to));
      EXPECT_EQ(there.at(0), 0);
      EXPECT_EQ(there.at(1), 1);
    }
}

TEST(Config, PrintsJsonAndKeepsTheOrder) {
  Config config = Config::map();
  config["units"] = 3;
  config["name"] = "a \"b\"";
  config["sizes"] = Config::List{1, 2.5, true, Config()};
  EXPECT_EQ(config.find("units")->as_int(), 3);
  EXPECT_EQ(config.find("absent"), nullptr);
  EXPECT_THROW(config.find("name")->as_int(), InvalidArgument);
  const std::string text = config.to_string();
  EXPECT_LT(text.find("units"), text.find("name"));
  EXPECT_NE(text.find(R"(a \"b\")"), std::string::npos) << text;
  EXPECT_NE(text.find("null"), std::string::npos) << text;
}

TEST(Suggest, FindsTheNearestName) {
  const std::vector<std::string> known{"relu", "sigmoid", "tanh"};
  EXPECT_EQ(nearest("rleu", known), "relu");
  EXPECT_EQ(nearest("sigmoide", known), "sigmoid");
  EXPECT_EQ(nearest("something_else", known), "");
  EXPECT_EQ(nearest("Foo", {"Dot", "Add", "Flatten"}), "");
  EXPECT_EQ(nearest("Dott", {"Dot", "Add"}), "Dot");
  EXPECT_EQ(nearest("sparse_crossentropy",
                    {"binary_crossentropy", "sparse_categorical_crossentropy", "sparse_other"}),
            "sparse_categorical_crossentropy");
}

}  // namespace
}  // namespace stoker
