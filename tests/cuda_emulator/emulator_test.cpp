#include <gtest/gtest.h>

#include <numeric>

#include "kernel.h"
#include "on_device.h"

// The emulated driver and compiler, through the CUDA backend's own launching.
namespace stoker::cuda {
namespace {

std::vector<int> counting(int n) {
  std::vector<int> values(static_cast<size_t>(n));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

template <class... Args>
void launch(const std::string& text, const LaunchShape& shape, Args... args) {
  Encoder encoder(gpu(0));
  encoder.launch(*make_function("#include \"prelude.cuh\"\n" + text, "kernel"), shape, args...);
}

// The launch's error; empty: none.
template <class... Args>
std::string failure(const std::string& text, const LaunchShape& shape, Args... args) {
  try {
    launch(text, shape, args...);
  } catch (const CudaError& error) {
    return error.what();
  }
  return "";
}

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST(CudaEmulator, IsTheDevice) { EXPECT_EQ(gpu(0).name, "emulated"); }

TEST(CudaEmulator, RunsEveryThreadOfEveryBlock) {
  const OnDevice<int> out(std::vector<int>(2 * 3 * 100, -1));
  launch(R"(extern "C" __global__ void __launch_bounds__(100) kernel(int* out) {
    int block = blockIdx.x + gridDim.x * blockIdx.y;
    out[block * blockDim.x + threadIdx.x] = block * blockDim.x + threadIdx.x;
  })",
         {.blocks = 2, .threads = 100, .blocks_y = 3}, out.at());
  EXPECT_EQ(out.values(), counting(600));
}

TEST(CudaEmulator, BarriersOrderWritesAndReads) {
  const OnDevice<int> data(counting(256));
  launch(R"(extern "C" __global__ void kernel(int* data) {
    __shared__ int copy[256];
    for (int round = 0; round < 3; ++round) {
      copy[255 - threadIdx.x] = data[threadIdx.x];
      __syncthreads();
      data[threadIdx.x] = copy[threadIdx.x];
      __syncthreads();
    }
  })",
         {.threads = 256}, data.at());
  auto expected = counting(256);
  std::reverse(expected.begin(), expected.end());
  EXPECT_EQ(data.values(), expected);
}

TEST(CudaEmulator, SharedMemoryStartsPoisonedInEveryBlock) {
  const OnDevice<float> out(std::vector<float>(4, 0));
  launch(R"(extern "C" __global__ void kernel(float* out) {
    __shared__ float fixed;
    extern __shared__ __align__(16) float dynamic[];
    out[2 * blockIdx.x] = fixed;
    out[2 * blockIdx.x + 1] = dynamic[5];
    fixed = dynamic[5] = 1;
  })",
         {.blocks = 2, .threads = 1, .shared_bytes = 64}, out.at());
  for (const float value : out.values()) EXPECT_TRUE(std::isnan(value));
}

TEST(CudaEmulator, FreshMemoryIsNotANumber) {
  CUdeviceptr memory = 0;
  float value = 0;
  check(driver().cuMemAlloc(&memory, sizeof value), "allocating");
  check(driver().cuMemcpyDtoHAsync(&value, memory, sizeof value, gpu(0).stream), "copying");
  driver().cuMemFree(memory);
  EXPECT_TRUE(std::isnan(value));
}

TEST(CudaEmulator, WarpsShuffleAndVote) {
  const OnDevice<int> out(std::vector<int>(64 * 6));
  launch(R"(extern "C" __global__ void kernel(int* out) {
    int t = threadIdx.x, *row = out + 6 * t;
    row[0] = warp_sum(t);
    row[1] = __shfl_sync(0xffffffffu, t, 3);
    row[2] = __shfl_down_sync(0xffffffffu, t, 1);
    row[3] = __shfl_up_sync(0xffffffffu, t, 2, 8);
    row[4] = __popc(__ballot_sync(0xffffffffu, t % 5 == 0));
    row[5] = t % 32 < 16 ? __any_sync(0x0000ffffu, t % 32 == 20) : __all_sync(0xffff0000u, t % 32 > 15);
  })",
         {.threads = 64}, out.at());
  const auto rows = out.values();
  for (int t = 0; t < 64; ++t) {
    const int warp = t / 32 * 32, lane = t % 32;
    const std::vector<int> expected{warp * 32 + 31 * 16,      warp + 3,      lane == 31 ? t : t + 1,
                                    lane % 8 < 2 ? t : t - 2, 7 - warp / 32, lane >= 16};
    EXPECT_EQ(std::vector(rows.begin() + 6 * t, rows.begin() + 6 * t + 6), expected) << t;
  }
}

TEST(CudaEmulator, BlocksCountVotesAndThreadsMayEndBeforeABarrier) {
  const OnDevice<int> out(std::vector<int>(100, -1));
  launch(R"(extern "C" __global__ void kernel(int* out) {
    if (threadIdx.x >= 90) return;
    out[threadIdx.x] = __syncthreads_count(threadIdx.x % 2);
  })",
         {.threads = 100}, out.at());
  auto expected = std::vector<int>(90, 45);
  expected.resize(100, -1);
  EXPECT_EQ(out.values(), expected);
}

TEST(CudaEmulator, Float16RoundAsTheHostsDo) {
  const OnDevice<float> in({1.0f, 65519.0f, 1e-8f, 1.00048828125f, -3.140625f});
  const OnDevice<uint16_t> out(std::vector<uint16_t>(10));
  launch(R"(extern "C" __global__ void kernel(const float* in, float16* halves, bfloat16* others) {
    halves[threadIdx.x] = store<float16>(in[threadIdx.x]);
    others[threadIdx.x] = store<bfloat16>(load(halves[threadIdx.x]));
  })",
         {.threads = 5}, in.at(), out.at(), static_cast<void*>(static_cast<char*>(out.at()) + 10));
  EXPECT_EQ(out.values(), (std::vector<uint16_t>{0x3c00, 0x7bff, 0x0000, 0x3c00, 0xc248, 0x3f80,
                                                 0x4780, 0x0000, 0x3f80, 0xc049}));
}

TEST(CudaEmulator, FindsAWriteOutsideAnAllocation) {
  const OnDevice<float> data(std::vector<float>(100));
  const auto said = failure(R"(extern "C" __global__ void kernel(float* data, int64_t n) {
    data[blockIdx.x * blockDim.x + threadIdx.x] = 1;  // n is ignored
  })",
                            {.blocks = 2, .threads = 64}, data.at(), int64_t{100});
  EXPECT_SAYS(said, "byte 400 of an allocation of 400 bytes was written");
  EXPECT_SAYS(said, "kernel kernel");
}

TEST(CudaEmulator, FindsAWriteOutsideSharedMemory) {
  const auto dynamic = failure(R"(extern "C" __global__ void kernel() {
    extern __shared__ int room[];
    room[threadIdx.x] = 1;
  })",
                               {.threads = 33, .shared_bytes = 128});
  EXPECT_SAYS(dynamic, "byte 128 of 128 bytes of dynamic shared memory");
  const auto fixed = failure(R"(extern "C" __global__ void kernel(int n) {
    __shared__ int room[32];
    room[threadIdx.x * n] = 1;
  })",
                             {.threads = 33}, 1);
  EXPECT_SAYS(fixed, "an index outside a local or shared array");
  EXPECT_SAYS(fixed, "thread (32, 0, 0)");
}

TEST(CudaEmulator, FindsMisalignedAndWildAccesses) {
  const OnDevice<float> data(std::vector<float>(8));
  const char* text = R"(extern "C" __global__ void kernel(float* data, int64_t offset) {
    *(float4*)(data + offset) = make_float4(1, 2, 3, 4);
  })";
  EXPECT_SAYS(failure(text, {.threads = 1}, data.at(), int64_t{1}), "misaligned");
  EXPECT_SAYS(failure(text, {.threads = 1}, nullptr, int64_t{4}), "memory that is not there");
  EXPECT_EQ(failure(text, {.threads = 1}, data.at(), int64_t{4}), "");
}

TEST(CudaEmulator, FindsBarriersThatNotAllThreadsReach) {
  const auto said = failure(R"(extern "C" __global__ void kernel() {
    if (threadIdx.x < 7)
      __syncthreads();
    else
      __syncthreads();
  })",
                            {.threads = 32});
  EXPECT_SAYS(said, "threads wait for each other in different places: thread 0");
  EXPECT_SAYS(said, "thread 7 at line");
}

TEST(CudaEmulator, RefusesWhatAGpuRefuses) {
  const char* text = R"(extern "C" __global__ void kernel() {})";
  EXPECT_SAYS(failure(text, {.blocks = 0}), "a launch of nothing");
  EXPECT_SAYS(failure(text, {.threads = 1025}), "more than a GPU takes");
  EXPECT_SAYS(failure(text, {.shared_bytes = 300000}), "300000 bytes of shared memory");
  EXPECT_SAYS(failure(text, {.cluster = 4}), "clusters are not emulated");
  EXPECT_SAYS(failure(R"(extern "C" __global__ void kernel() { nonsense(); })", {}), "nonsense");
}

TEST(CudaEmulator, ReplaysWhatWasRecordedWithItsArguments) {
  const OnDevice<int> data({0, 0, 0, 0});
  const char* text = R"(struct Two { int a, b; };
  extern "C" __global__ void kernel(int* data, Two two) { data[threadIdx.x] += two.a + two.b; })";
  struct Two {
    int a, b;
  };
  const Driver& d = driver();
  make_function(std::string("#include \"prelude.cuh\"\n") + text, "kernel")->on(gpu(0));
  ASSERT_EQ(d.cuStreamBeginCapture(gpu(0).stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), 0);
  CUdeviceptr none = 0;
  EXPECT_EQ(d.cuMemAlloc(&none, 1), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(d.cuStreamSynchronize(gpu(0).stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  launch(text, {.threads = 4}, data.at(), Two{2, 3});
  Encoder(gpu(0)).fill(data.at(), 0, sizeof(int));
  CUgraph graph = nullptr;
  CUgraphExec ready = nullptr;
  ASSERT_EQ(d.cuStreamEndCapture(gpu(0).stream, &graph), 0);
  ASSERT_EQ(d.cuGraphInstantiate(&ready, graph, 0), 0);
  d.cuGraphDestroy(graph);
  EXPECT_EQ(data.values(), (std::vector{0, 0, 0, 0}));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(d.cuGraphLaunch(ready, gpu(0).stream), 0);
  d.cuGraphExecDestroy(ready);
  EXPECT_EQ(data.values(), (std::vector{0, 15, 15, 15}));
}

}  // namespace
}  // namespace stoker::cuda
