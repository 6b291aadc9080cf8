#include "ops/op_case.h"
#include "support/random_values.h"

namespace stoker::testing {
namespace {

OpCase matmul_case(const std::string& name, int64_t m, int64_t n, int64_t k, bool ta, bool tb) {
  const Shape a = ta ? Shape{k, m} : Shape{m, k}, b = tb ? Shape{n, k} : Shape{k, n};
  const Plain plain = [=](const std::vector<Array>& in) {
    return from_index(m * n, [&](int64_t i) {
      double sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum += in[0].at(ta ? l * m + i / n : i / n * k + l) *
               in[1].at(tb ? i % n * k + l : l * n + i % n);
      return sum;
    });
  };
  return {"matmul",
          name,
          {random_values(a, 1), random_values(b, 2)},
          {{"transpose_a", int64_t{ta}}, {"transpose_b", int64_t{tb}}},
          plain};
}

OpCase batch_case(const std::string& name, int64_t batch, int64_t m, int64_t n, int64_t k, bool ta,
                  bool tb) {
  const Shape a = ta ? Shape{batch, k, m} : Shape{batch, m, k},
              b = tb ? Shape{batch, n, k} : Shape{batch, k, n};
  const Plain plain = [=](const std::vector<Array>& in) {
    return from_index(batch * m * n, [&](int64_t at) {
      const int64_t i = at / n % m, j = at % n, one = at / (m * n);
      double sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum += in[0].at(one * m * k + (ta ? l * m + i : i * k + l)) *
               in[1].at(one * n * k + (tb ? j * k + l : l * n + j));
      return sum;
    });
  };
  return {"batch_matmul",
          name,
          {random_values(a, 1), random_values(b, 2)},
          {{"transpose_a", int64_t{ta}}, {"transpose_b", int64_t{tb}}},
          plain};
}

const AddCases batches(
    {batch_case("plain", 3, 5, 7, 3, false, false), batch_case("left", 3, 5, 7, 3, true, false),
     batch_case("right", 3, 5, 7, 3, false, true), batch_case("both", 3, 5, 7, 3, true, true),
     batch_case("one", 1, 9, 4, 6, false, true), batch_case("tiles", 2, 67, 70, 35, false, false),
     batch_case("none", 0, 3, 4, 5, false, false),
     batch_case("no_inner", 2, 3, 4, 0, false, false)},
    {{"batch_matmul",
      "batches",
      {{DType::float32, {2, 3, 4}}, {DType::float32, {3, 4, 5}}},
      {},
      "2 and 3"},
     {"batch_matmul",
      "inner_dimensions",
      {{DType::float32, {2, 3, 4}}, {DType::float32, {2, 5, 6}}},
      {},
      "4 and 5"},
     {"batch_matmul",
      "matrix",
      {{DType::float32, {3, 4}}, {DType::float32, {4, 5}}},
      {},
      "3 dimensions"}});

const AddCases cases(
    {matmul_case("plain", 5, 7, 3, false, false), matmul_case("left", 5, 7, 3, true, false),
     matmul_case("right", 5, 7, 3, false, true), matmul_case("both", 5, 7, 3, true, true),
     matmul_case("one", 1, 1, 1, false, false), matmul_case("row", 1, 70, 9, false, false),
     matmul_case("column", 9, 1, 20, false, true), matmul_case("wide", 2, 131, 5, true, false),
     matmul_case("deep", 3, 4, 67, false, true), matmul_case("no_rows", 0, 4, 3, false, false),
     matmul_case("no_inner", 3, 4, 0, false, false)},
    {{"matmul",
      "inner_dimensions",
      {{DType::float32, {2, 3}}, {DType::float32, {4, 5}}},
      {},
      "3 and 4"},
     {"matmul", "vector", {{DType::float32, {3}}, {DType::float32, {3, 5}}}, {}, "2 dimensions"},
     {"matmul", "integers", {{DType::int32, {2, 3}}, {DType::int32, {3, 5}}}, {}, "floating"}});

}  // namespace
}  // namespace stoker::testing
