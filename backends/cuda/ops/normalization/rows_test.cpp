#include <gtest/gtest.h>

#include "ops/node_testing.h"

// Nodes whose kernels process rows: softmax, indexing, moves, random numbers, updates.
namespace stoker::cuda {
namespace {

using Ints = std::vector<int64_t>;
DType sum_type(DType dtype) { return is_half(dtype) ? DType::float32 : dtype; }
constexpr DType floats[] = {DType::float32, DType::float64, DType::float16, DType::bfloat16};

void add_softmax() {
  for (DType dtype : floats)
    for (int64_t classes : {1, 10, 1000, 50000}) {
      const TensorType labels{DType::int64, {32}}, x{dtype, {32, classes}}, row{dtype, {32}};
      const std::string name = fmt::format("{} of {}", name_of(dtype), classes);
      AddCompileCase(name, {"softmax", {x}, {x}});
      AddCompileCase(name, {"log_softmax", {x}, {x}});
      AddCompileCase(name, {"sparse_softmax_cross_entropy", {labels, x}, {row}});
      AddCompileCase(name, {"sparse_softmax_cross_entropy_grad", {labels, x, row}, {x}});
      if (classes <= 1000 && dtype != DType::float64)
        for (int64_t gradient : {0, 1}) {
          const TensorType one{sum_type(dtype), {}}, sums{dtype, {classes}},
              hits{DType::float32, {}};
          std::vector<TensorType> in{labels, x}, out{one, hits};
          if (gradient) {
            in.push_back(one);
            out.insert(out.end(), {x, sums});
          }
          AddCompileCase(name, {"softmax_head", in, out}, "gradient", gradient);
        }
      const TensorType sum{sum_type(dtype), {}};
      AddCompileCase(name, {"wide_softmax_head", {labels, x, sum}, {sum, x}}, "gradient",
                     int64_t{1}, "classes", classes);
      AddCompileCase(name, {"in_top_k", {labels, x}, {{DType::boolean, {32}}}}, "k", int64_t{5});
    }
}

void add_dense_head() {
  for (DType dtype : {DType::float32, DType::float16, DType::bfloat16})
    for (int64_t rows : {512, 4096})
      for (int64_t features : {100, 1024})
        for (int64_t classes : {2, 32}) {
          const TensorType labels{DType::uint8, {rows}}, h{dtype, {rows, features}},
              w{dtype, {features, classes}}, row{dtype, {classes}}, one{DType::float32, {}},
              logits{dtype, {rows, classes}};
          AddCompileCase(fmt::format("{} {}x{}x{}", name_of(dtype), rows, features, classes),
                         {"dense_softmax_head",
                          {labels, h, w, row, one},
                          {one, {DType::float32, {}}, logits, row, h}},
                         "mask", int64_t{rows != 512});
        }
}

void add_casts() {
  for (DType dtype : {DType::float16, DType::bfloat16})
    AddCompileCase(std::string(name_of(dtype)), {"cast_many",
                                                 {{DType::float32, {7, 3}}, {DType::float32, {0}}},
                                                 {{dtype, {7, 3}}, {dtype, {0}}}});
}

void add_indexing() {
  const TensorType indices{DType::int32, {32}};
  for (DType dtype :
       {DType::float32, DType::bfloat16, DType::uint8, DType::boolean, DType::int64}) {
    const std::string name(name_of(dtype));
    AddCompileCase(name, {"one_hot", {indices}, {{dtype, {32, 10}}}}, "depth", int64_t{10});
    for (const Shape& row : {Shape{784}, Shape{}, Shape{7}})
      AddCompileCase(
          name + to_string(row),
          {"gather", {{dtype, row.with_front(60000)}, indices}, {{dtype, row.with_front(32)}}});
    AddCompileCase(name, {"gather_many",
                          {{dtype, {99, 5}}, {DType::uint8, {99}}, {dtype, {99, 0}}, indices},
                          {{dtype, {32, 5}}, {DType::uint8, {32}}, {dtype, {32, 0}}}});
    if (is_half(dtype))
      for (int64_t columns : {5, 784})
        AddCompileCase(fmt::format("{} of {}", name, columns),
                       {"gather_many",
                        {{DType::float32, {99, columns}}, {DType::uint8, {99}}, indices},
                        {{dtype, {32, columns}}, {DType::uint8, {32}}}});
    if (dtype != DType::boolean)
      AddCompileCase(name, {"scatter_add", {{dtype, {32, 5}}, indices}, {{dtype, {9, 5}}}}, "rows",
                     int64_t{9});
  }
}

void add_row_updates() {
  const TensorType indices{DType::int64, {32}};
  for (DType dtype : floats) {
    const std::string name(name_of(dtype));
    const TensorType table{dtype, {9, 5}}, values{dtype, {32, 5}}, one{dtype, {}};
    AddCompileCase(name, {"subtract_rows", {table, values, indices}, {table}});
    AddCompileCase(
        name,
        {"adam_update_rows", {table, table, table, values, one, indices}, {table, table, table}},
        "beta_1", 0.9, "beta_2", 0.99, "epsilon", 1e-7);
  }
}

void add_moves() {
  for (DType dtype : {DType::float32, DType::float64, DType::float16, DType::uint8}) {
    const std::string name(name_of(dtype));
    const auto transpose = [&](const Shape& in, const Shape& out, const Ints& permutation) {
      AddCompileCase(name + to_string(in), {"transpose", {{dtype, in}}, {{dtype, out}}},
                     "permutation", permutation);
    };
    transpose({35, 18}, {18, 35}, {1, 0});
    transpose({2, 3, 64}, {3, 2, 64}, {1, 0, 2});
    transpose({8, 40, 4, 50}, {50, 4, 40, 8}, {3, 2, 1, 0});
    transpose({}, {}, {});
    AddCompileCase(name, {"slice", {{dtype, {3, 4, 5}}}, {{dtype, {2, 2, 3}}}}, "start",
                   Ints{1, 1, 1}, "size", Ints{2, 2, 3});
    AddCompileCase(name, {"pad", {{dtype, {3, 4}}}, {{dtype, {6, 6}}}}, "before", Ints{1, 2},
                   "after", Ints{2, 0});
    AddCompileCase(
        name,
        {"concatenate", {{dtype, {2, 8}}, {dtype, {2, 0}}, {dtype, {2, 3}}}, {{dtype, {2, 11}}}},
        "axis", int64_t{1});
  }
}

void add_others() {
  const TensorType counter{DType::int64, {}}, drawn{DType::float32, {3, 7}};
  AddCompileCase("draws", {"random_uniform", {counter}, {drawn}}, "seed", int64_t{-5});
  AddCompileCase("draws", {"random_normal", {counter}, {drawn}}, "seed", int64_t{5});
  for (DType dtype : floats)
    for (const Shape& shape : {Shape{784, 128}, Shape{10}, Shape{}, Shape{0}}) {
      const TensorType t{dtype, shape};
      AddCompileCase(fmt::format("{}{}", name_of(dtype), to_string(shape)),
                     {"adam_update", {t, t, t, t, {dtype, {}}}, {t, t, t}}, "beta_1", 0.9, "beta_2",
                     0.999, "epsilon", 1e-7);
    }
}

void add_many_updates() {
  for (DType dtype : floats) {
    const TensorType kernel{dtype, {784, 128}}, bias{dtype, {128}}, samples{dtype, {640, 128}};
    AddCompileCase(std::string(name_of(dtype)),
                   {"adam_update_many",
                    {kernel, kernel, kernel, kernel, bias, bias, bias, samples, {dtype, {}}},
                    {kernel, kernel, kernel, bias, bias, bias}},
                   "beta_1", 0.9, "beta_2", 0.999, "epsilon", 1e-7);
  }
}

[[maybe_unused]] const bool norms = [] {
  for (DType dtype : {DType::float32, DType::float64, DType::float16, DType::bfloat16})
    for (int64_t columns : {30, 64, 4096}) {
      const DType wide = dtype == DType::float64 ? dtype : DType::float32;
      const TensorType x{dtype, {512, columns}}, column{wide, {columns}}, row{wide, {512}};
      AddCompileCase("relu", {"batch_norm", {x, column, column}, {x, column, column}}, "epsilon",
                     1e-3, "activation", std::string("relu"));
      AddCompileCase(
          "plain", {"batch_norm_grad", {x, x, column, column, column, column}, {x, column, column}},
          "epsilon", 1e-3);
      AddCompileCase("rows", {"layer_norm", {x, column, column}, {x, row, row}}, "epsilon", 1e-3);
      AddCompileCase("rows", {"layer_norm_grad", {x, x, row, row, column}, {x, column, column}},
                     "epsilon", 1e-3);
    }
  return true;
}();

[[maybe_unused]] const bool added = [] {
  add_softmax();
  add_dense_head();
  add_casts();
  add_indexing();
  add_row_updates();
  add_moves();
  add_others();
  add_many_updates();
  return true;
}();

TEST(DenseSoftmaxHead, LeavesWeightsAloneThatABlockHasNoRoomFor) {
  const TensorType h{DType::float32, {4096, 1024}}, w{DType::float32, {1024, 32}},
      row{DType::float32, {32}}, one{DType::float32, {}}, logits{DType::float32, {4096, 32}};
  TestedNode node("dense_softmax_head", {{DType::uint8, {4096}}, h, w, row, one},
                  {one, one, logits, row, h});
  node.add("mask", int64_t{1});
  const auto planned_with = [&](int shared_memory) {
    Gpu gpu;
    gpu.capability = 89;
    gpu.multiprocessors = 128;
    gpu.shared_memory = shared_memory;
    const GpuScope scope(gpu);
    node.describe_to([](const StokerNode& n) { return plan(NodeView(n)); });
  };
  EXPECT_NO_THROW(planned_with(232448));
  EXPECT_THROW(planned_with(101376), Unsupported);
}

}  // namespace
}  // namespace stoker::cuda
