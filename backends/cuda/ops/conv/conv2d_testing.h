#pragma once
#include <ostream>

#include "device/node_testing.h"

namespace stoker::cuda {

// A convolution (followed by pooling if `pool` is not empty) and the nodes made of it.
struct TestedConv2d {
  friend void PrintTo(const TestedConv2d& conv, std::ostream* out) { *out << conv.name; }

  using Ints = std::vector<int64_t>;
  std::string name;
  Shape x, kernel;
  Ints strides{1, 1}, dilation{1, 1}, padding{0, 0, 0, 0};
  int64_t groups = 1;
  Ints pool{2, 2};

  int64_t positions(int axis) const {
    const auto i = static_cast<size_t>(axis);
    const int64_t span = (kernel[axis] - 1) * dilation[i] + 1;
    return (x[axis + 1] + padding[2 * i] + padding[2 * i + 1] - span) / strides[i] + 1;
  }
  Shape y() const { return {x[0], positions(0), positions(1), kernel[3]}; }
  Shape pooled() const { return {x[0], positions(0) / pool[0], positions(1) / pool[1], kernel[3]}; }

  TestedNode node(const char* op, std::vector<TensorType> in, std::vector<TensorType> out) const {
    TestedNode made(op, std::move(in), std::move(out));
    made.add("kernel_size", Ints{kernel[0], kernel[1]});
    made.add("strides", strides);
    made.add("dilation", dilation);
    made.add("padding", padding);
    made.add("groups", groups);
    return made;
  }
  TestedNode pooled_node(const char* op, std::vector<TensorType> in,
                         std::vector<TensorType> out) const {
    TestedNode made = node(op, std::move(in), std::move(out));
    made.add("pool_size", pool);
    return made;
  }

  std::vector<TestedNode> nodes(DType dtype) const {
    const TensorType images{dtype, x}, weights{dtype, kernel}, bias{dtype, Shape{kernel[3]}},
        result{dtype, y()}, small{dtype, pooled()}, index{DType::uint8, pooled()};
    std::vector<TestedNode> all;
    all.push_back(node("conv2d", {images, weights}, {result}));
    all.push_back(node("conv2d_bias", {images, weights, bias}, {result}));
    all.push_back(node("conv2d_input_grad", {result, weights}, {images}));
    all.push_back(node("conv2d_input_grad_masked", {result, weights, images}, {images}));
    all.push_back(node("conv2d_kernel_grad", {images, result}, {weights}));
    all.push_back(node("conv2d_kernel_bias_grad", {images, result}, {weights, bias}));
    all.push_back(pooled_node("conv2d_bias_pool", {images, weights, bias}, {small, index}));
    all.push_back(pooled_node("conv2d_kernel_grad_pooled", {images, small, index}, {weights}));
    all.push_back(
        pooled_node("conv2d_kernel_bias_grad_pooled", {images, small, index}, {weights, bias}));
    const TensorType left{dtype, Shape{x[0], 10}};
    const auto right = [&](const Shape& shape) {
      return TensorType{dtype, Shape{shape.size() / std::max<int64_t>(1, x[0]), 10}};
    };
    all.push_back(node("conv2d_kernel_bias_grad_of_product", {images, left, right(y()), result},
                       {weights, bias}));
    all.push_back(pooled_node("conv2d_kernel_bias_grad_of_product",
                              {images, left, right(pooled()), index}, {weights, bias}));
    for (const size_t forward : {size_t{1}, size_t{6}}) {
      all.push_back(all[forward]);
      all.back().add("activation", std::string("relu"));
    }
    return all;
  }
};

}  // namespace stoker::cuda
