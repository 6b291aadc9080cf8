#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "ops/conv/conv2d_testing.h"
#include "ops/node_testing.h"

namespace stoker::cuda {
namespace {

const std::vector<TestedConv2d> convolutions{
    {.name = "one channel", .x = {3, 12, 12, 1}, .kernel = {3, 3, 1, 32}},
    {.name = "three channels", .x = {2, 9, 16, 3}, .kernel = {3, 3, 3, 32}},
    {.name = "padded", .x = {2, 7, 9, 3}, .kernel = {3, 5, 3, 8}, .padding = {1, 1, 2, 2}},
    {.name = "strided", .x = {2, 15, 11, 2}, .kernel = {3, 2, 2, 16}, .strides = {2, 3}},
    {.name = "large windows", .x = {2, 11, 12, 1}, .kernel = {5, 5, 1, 64}, .pool = {3, 3}},
    {.name = "two blocks of filters", .x = {1, 6, 6, 4}, .kernel = {3, 3, 4, 64}, .pool = {1, 2}},
    {.name = "many images", .x = {19, 8, 21, 1}, .kernel = {3, 3, 1, 16}},
    {.name = "one by one", .x = {2, 4, 5, 16}, .kernel = {1, 1, 16, 12}},
    {.name = "few filters", .x = {1, 6, 6, 2}, .kernel = {3, 3, 2, 3}},
    {.name = "depthwise",
     .x = {2, 9, 7, 40},
     .kernel = {3, 3, 1, 40},
     .padding = {1, 1, 1, 1},
     .groups = 40},
    {.name = "depthwise strided",
     .x = {2, 7, 8, 6},
     .kernel = {3, 3, 1, 6},
     .strides = {2, 2},
     .padding = {0, 1, 0, 1},
     .groups = 6},
    {.name = "all at once",
     .x = {2, 9, 8, 2},
     .kernel = {3, 2, 1, 4},
     .strides = {2, 1},
     .dilation = {1, 2},
     .padding = {2, 1, 0, 1},
     .groups = 2},
};
constexpr DType float_types[] = {DType::float32, DType::float64, DType::float16, DType::bfloat16};

// The shapes determine what is planned; types only change how elements are read and written.
const bool compiled = [] {
  for (const TestedConv2d& conv : convolutions)
    for (const DType dtype : float_types)
      if (dtype == DType::float32 || &conv == &convolutions.back() || &conv == &convolutions[1])
        for (const TestedNode& node : conv.nodes(dtype))
          compile_cases().push_back({conv.name + " " + type_name(dtype), node});
  return true;
}();

// Small integers: sums of their products are exact in every compute type, so implementations must
// agree bitwise.
double whole_number(std::mt19937& engine) { return static_cast<int>(engine() % 7) - 3; }

void put(DType dtype, double value, std::byte* to) {
  const auto f = static_cast<float>(value);
  uint32_t bits = 0;
  std::memcpy(&bits, &f, 4);
  if (dtype == DType::float64) std::memcpy(to, &value, 8);
  if (dtype == DType::float32) std::memcpy(to, &f, 4);
  const auto brain = static_cast<uint16_t>(bits >> 16);
  if (dtype == DType::bfloat16) std::memcpy(to, &brain, 2);
  const auto half = static_cast<uint16_t>(value == 0 ? 0
                                                     : (bits >> 16 & 0x8000) |
                                                           (((bits >> 23 & 255) - 112) << 10) |
                                                           (bits >> 13 & 1023));
  if (dtype == DType::float16) std::memcpy(to, &half, 2);
}

std::vector<std::byte> random_bytes(const TensorType& type, std::mt19937& engine) {
  std::vector<std::byte> bytes(static_cast<size_t>(type.bytes()));
  const auto size = static_cast<size_t>(type.shape.size());
  for (size_t i = 0; i < size; ++i)
    if (type.dtype == DType::uint8)
      bytes[i] = engine() % 4 == 0 ? std::byte{255} : static_cast<std::byte>(engine() % 4);
    else
      put(type.dtype, whole_number(engine), bytes.data() + i * (bytes.size() / size));
  return bytes;
}

// GPU memory that is released at the end of the test.
struct OnGpu {
  explicit OnGpu(uint64_t bytes) {
    check(driver().cuMemAlloc(&address, std::max<uint64_t>(bytes, 16)), "allocating");
  }
  OnGpu(OnGpu&& other) noexcept : address(std::exchange(other.address, 0)) {}
  ~OnGpu() {
    if (address) driver().cuMemFree(address);
  }
  CUdeviceptr address = 0;
};

using Bytes = std::vector<std::vector<std::byte>>;

Bytes run(Kernel& kernel, const TestedNode& node, const Bytes& inputs) {
  Gpu& on = gpu(0);
  make_current(on);
  std::vector<OnGpu> memory;
  for (const auto& bytes : inputs) {
    memory.emplace_back(bytes.size());
    check(driver().cuMemcpyHtoDAsync(memory.back().address, bytes.data(), bytes.size(), on.stream),
          "copying");
  }
  Bytes outputs;
  for (const TensorType& type : node.out()) {
    outputs.emplace_back(static_cast<size_t>(type.bytes()));
    memory.emplace_back(outputs.back().size());
  }
  const OnGpu scratch(kernel.workspace);
  std::vector<void*> arguments;
  for (const OnGpu& one : memory) arguments.push_back(reinterpret_cast<void*>(one.address));
  Encoder encoder(on);
  kernel.encode(encoder, arguments.data(), reinterpret_cast<void*>(scratch.address));
  for (size_t i = 0; i < outputs.size(); ++i)
    check(driver().cuMemcpyDtoHAsync(outputs[i].data(), memory[inputs.size() + i].address,
                                     outputs[i].size(), on.stream),
          "copying");
  check(driver().cuStreamSynchronize(on.stream), "waiting");
  return outputs;
}

std::string missing_gpu() {
  try {
    return gpu_count() > 0 ? "" : "there is no GPU";
  } catch (const CudaError& error) {
    return error.what();
  }
}

// Every implementation against the reference.
void expect_agreement(const std::vector<TestedNode>& nodes) {
  const GpuScope scope(gpu(0));
  for (const TestedNode& node : nodes) {
    std::mt19937 engine(7);
    Bytes inputs;
    for (const TensorType& type : node.in()) inputs.push_back(random_bytes(type, engine));
    const auto kernels =
        node.describe_to([](const StokerNode& n) { return plan_all(NodeView(n)); });
    const Bytes expected = run(*kernels.back(), node, inputs);
    for (size_t k = 0; k + 1 < kernels.size(); ++k)
      EXPECT_EQ(run(*kernels[k], node, inputs), expected)
          << node.op() << " of " << type_name(node.in()[0].dtype) << " by "
          << kernels[k]->implementation << " instead of " << kernels.back()->implementation;
  }
}

class Conv2dImplementations : public ::testing::TestWithParam<TestedConv2d> {};

TEST_P(Conv2dImplementations, AgreeToTheBitOnWholeNumbers) {
  if (const std::string reason = missing_gpu(); !reason.empty()) GTEST_SKIP() << reason;
  for (const DType dtype : float_types) expect_agreement(GetParam().nodes(dtype));
}

INSTANTIATE_TEST_SUITE_P(Cuda, Conv2dImplementations, ::testing::ValuesIn(convolutions),
                         [](const auto& test) {
                           std::string name = test.param.name;
                           std::replace(name.begin(), name.end(), ' ', '_');
                           return name;
                         });

struct TestedPool {
  std::string name;
  Shape x;
  std::vector<int64_t> size{2, 2}, strides{2, 2}, padding{0, 0, 0, 0};

  TestedNode node(const char* op, std::vector<TensorType> in, std::vector<TensorType> out) const {
    TestedNode made(op, std::move(in), std::move(out));
    made.add("pool_size", size);
    made.add("strides", strides);
    made.add("padding", padding);
    return made;
  }
  std::vector<TestedNode> nodes(DType dtype) const {
    const auto positions = [&](size_t axis) {
      return (x[static_cast<int>(axis) + 1] + padding[2 * axis] + padding[2 * axis + 1] -
              size[axis]) /
                 strides[axis] +
             1;
    };
    const Shape small{x[0], positions(0), positions(1), x[3]};
    const TensorType images{dtype, x}, y{dtype, small}, index{DType::uint8, small};
    return {node("max_pool2d", {images}, {y, index}), node("max_pool2d_grad", {y, index}, {images}),
            node("average_pool2d", {images}, {y}), node("average_pool2d_grad", {y}, {images})};
  }
};

const std::vector<TestedPool> pools{
    {.name = "side by side", .x = {2, 7, 6, 16}},
    {.name = "overlapping", .x = {2, 9, 8, 8}, .size = {3, 3}, .padding = {1, 1, 0, 1}},
    {.name = "apart", .x = {1, 8, 9, 24}, .size = {2, 1}, .strides = {3, 2}},
    {.name = "few channels", .x = {2, 5, 4, 3}, .size = {3, 2}},
};

const bool pools_compiled = [] {
  for (const TestedPool& pool : pools)
    for (const DType dtype : {DType::float32, DType::bfloat16})
      for (const TestedNode& node : pool.nodes(dtype))
        compile_cases().push_back({pool.name + " " + type_name(dtype), node});
  compile_cases().push_back({"int8", pools[0].nodes(DType::int8)[0]});
  return true;
}();

TEST(Pool2dImplementations, AgreeToTheBitOnWholeNumbers) {
  if (const std::string reason = missing_gpu(); !reason.empty()) GTEST_SKIP() << reason;
  for (const TestedPool& pool : pools)
    for (const DType dtype : float_types) expect_agreement(pool.nodes(dtype));
}

TEST(Conv2dTiles, LeavesPoolsAloneThatABlockHasNoRoomFor) {
  const Gpu gpu = planned_gpu(90);
  const GpuScope scope(gpu);
  const TestedConv2d conv{
      .name = "wide pool", .x = {16, 62, 62, 8}, .kernel = {3, 3, 8, 16}, .pool = {15, 15}};
  const TensorType images{DType::float32, conv.x}, left{DType::float32, {16, 10}},
      right{DType::float32, {conv.pooled().size() / 16, 10}}, index{DType::uint8, conv.pooled()};
  const TestedNode node =
      conv.pooled_node("conv2d_kernel_bias_grad_of_product", {images, left, right, index},
                       {{DType::float32, conv.kernel}, {DType::float32, {16}}});
  const auto kernel = node.describe_to([](const StokerNode& n) { return plan(NodeView(n)); });
  EXPECT_STREQ(kernel->implementation, "direct");
}

}  // namespace
}  // namespace stoker::cuda
