#include <gtest/gtest.h>

#include <thread>

#include "on_device.h"
#include "program.h"
#include "ranks/communicator.h"
#include "test_places.h"

// Ranks as threads of this process, on the one emulated GPU. The emulated NCCL answers with an
// error where NCCL would hang or add wrong numbers.
namespace stoker::cuda {
namespace {

using Body = std::function<void(Communicator& ranks, int rank, CUstream stream)>;

// Runs the body on every rank; returns the error of each.
std::vector<std::string> on_ranks(int size, const Body& body) {
  setenv("NCCL_MULTI_RANK_GPU_ENABLE", "1", 1);
  NcclId id{};
  check(nccl().get_unique_id(&id), "making an id");
  std::vector<std::string> failures(static_cast<size_t>(size));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      try {
        Communicator ranks(gpu(0), rank, size, id);
        CUstream stream = nullptr;
        check(driver().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "creating a stream");
        body(ranks, rank, stream);
      } catch (const CudaError& error) {
        failures[static_cast<size_t>(rank)] = error.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  return failures;
}

bool has(const std::string& text, const char* words) {
  return text.find(words) != std::string::npos;
}

TEST(Nccl, AddsGathersAndSends) {
  const auto failures = on_ranks(3, [](Communicator& ranks, int rank, CUstream stream) {
    const OnDevice<float> sum({1.0f + static_cast<float>(rank), 10}), all(std::vector<float>(6));
    ranks.all_reduce(sum.at(), sum.at(), 2, DType::float32, stream);
    EXPECT_EQ(sum.values(), (std::vector<float>{6, 30}));
    const OnDevice<float> own({static_cast<float>(rank), 7});
    ranks.all_gather(own.at(), all.at(), 8, stream);
    EXPECT_EQ(all.values(), (std::vector<float>{0, 7, 1, 7, 2, 7}));
    ranks.broadcast(own.at(), own.at(), 8, 2, stream);
    EXPECT_EQ(own.values(), (std::vector<float>{2, 7}));
  });
  EXPECT_EQ(failures, std::vector<std::string>(3));
}

TEST(Nccl, AddsInEveryType) {
  const auto failures = on_ranks(2, [](Communicator& ranks, int rank, CUstream stream) {
    const auto sums = [&]<class T>(T zero, T one, DType dtype) {
      const OnDevice<T> given({rank == 0 ? zero : one, one}), sum({zero, zero});
      ranks.all_reduce(given.at(), sum.at(), 2, dtype, stream);
      return sum.values();
    };
    using Halves = std::vector<uint16_t>;
    EXPECT_EQ(sums(uint16_t{0}, uint16_t{0x3c00}, DType::float16), (Halves{0x3c00, 0x4000}));
    EXPECT_EQ(sums(uint16_t{0}, uint16_t{0x3f80}, DType::bfloat16), (Halves{0x3f80, 0x4000}));
    EXPECT_EQ(sums(0.0, 1.0, DType::float64), (std::vector<double>{1, 2}));
    EXPECT_EQ(sums(int64_t{0}, int64_t{1}, DType::int64), (std::vector<int64_t>{1, 2}));
    EXPECT_EQ(sums(0, 1, DType::int32), (std::vector<int>{1, 2}));
    using Bytes = std::vector<uint8_t>;
    EXPECT_EQ(sums(uint8_t{0}, uint8_t{1}, DType::uint8), (Bytes{1, 2}));
    EXPECT_EQ(sums(uint8_t{0}, uint8_t{1}, DType::boolean), (Bytes{1, 1}));
  });
  EXPECT_EQ(failures, std::vector<std::string>(2));
}

TEST(Nccl, NamesARankThatCallsSomethingElse) {
  const auto failures = on_ranks(3, [](Communicator& ranks, int rank, CUstream stream) {
    const OnDevice<float> data(std::vector<float>(4, 1.0f));
    ranks.all_reduce(data.at(), data.at(), 4, DType::float32, stream);
    if (rank == 2)
      ranks.broadcast(data.at(), data.at(), 16, 0, stream);
    else
      ranks.all_reduce(data.at(), data.at(), 4, DType::float32, stream);
  });
  for (const std::string& failure : failures)
    EXPECT_TRUE(has(failure, "call 3: rank 2 calls ncclBroadcast of 16 elements")) << failure;
}

TEST(Nccl, NamesARankThatAddsAnotherNumberOfElements) {
  const auto failures = on_ranks(2, [](Communicator& ranks, int rank, CUstream stream) {
    const OnDevice<float> data(std::vector<float>(4, 1.0f));
    ranks.all_reduce(data.at(), data.at(), rank == 1 ? 3 : 4, DType::float32, stream);
  });
  EXPECT_TRUE(has(failures[0], "rank 1 calls ncclAllReduce of 3 elements")) << failures[0];
  EXPECT_TRUE(has(failures[0], "rank 0 calls ncclAllReduce of 4 elements")) << failures[0];
}

TEST(Nccl, NamesARankThatLeaves) {
  const auto failures = on_ranks(2, [](Communicator& ranks, int rank, CUstream stream) {
    const OnDevice<float> data({1.0f});
    if (rank == 0) ranks.all_reduce(data.at(), data.at(), 1, DType::float32, stream);
  });
  EXPECT_TRUE(has(failures[0], "rank 1 is gone")) << failures[0];
}

TEST(Nccl, WantsMemoryOfTheGpu) {
  const auto failures = on_ranks(1, [](Communicator& ranks, int, CUstream stream) {
    float number = 0;
    ranks.all_reduce(&number, &number, 1, DType::float32, stream);
  });
  EXPECT_TRUE(has(failures[0], "no memory of the GPU")) << failures[0];
}

// The calls before the one that failed are dropped, and the next one is in no group.
TEST(Nccl, AGroupEndsWhereACallFails) {
  const auto failures = on_ranks(2, [](Communicator& ranks, int, CUstream stream) {
    const OnDevice<float> data({1.0f});
    float number = 0;
    const auto add = [&](void* at) { ranks.all_reduce(at, at, 1, DType::float32, stream); };
    const auto add_in_a_group = [&] {
      NcclGroup group;
      add(data.at());
      add(&number);
      group.end();
    };
    EXPECT_THROW(add_in_a_group(), CudaError);
    EXPECT_EQ(data.values()[0], 1);
    add(data.at());
    EXPECT_EQ(data.values()[0], 2);
  });
  EXPECT_EQ(failures, std::vector<std::string>(2));
}

CUgraphExec recorded(CUstream stream, const std::function<void()>& body) {
  CUgraph graph = nullptr;
  CUgraphExec ready = nullptr;
  check(driver().cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), "recording");
  body();
  check(driver().cuStreamEndCapture(stream, &graph), "recording");
  check(driver().cuGraphInstantiate(&ready, graph, 0), "recording");
  driver().cuGraphDestroy(graph);
  return ready;
}

// A communicator must outlive its graphs, so this ends them here.
void launch_and_end(CUgraphExec graph, CUstream stream) {
  const CUresult status = driver().cuGraphLaunch(graph, stream);
  driver().cuGraphExecDestroy(graph);
  check(status, "launching");
}

TEST(Nccl, ReplaysWhatIsRecorded) {
  const auto failures = on_ranks(2, [](Communicator& ranks, int rank, CUstream stream) {
    const OnDevice<float> data({1.0f + static_cast<float>(rank)});
    const auto add = [&] { ranks.all_reduce(data.at(), data.at(), 1, DType::float32, stream); };
    const CUgraphExec twice = recorded(stream, [&] { add(), add(); });
    EXPECT_EQ(data.values()[0], 1 + rank);  // nothing runs before the launch
    launch_and_end(twice, stream);
    EXPECT_EQ(data.values()[0], 6);
  });
  EXPECT_EQ(failures, std::vector<std::string>(2));
}

TEST(Nccl, NamesARankThatDidNotRecord) {
  const auto failures = on_ranks(2, [](Communicator& ranks, int rank, CUstream stream) {
    const OnDevice<float> data({1.0f});
    const auto add = [&] { ranks.all_reduce(data.at(), data.at(), 1, DType::float32, stream); };
    if (rank == 0) return launch_and_end(recorded(stream, add), stream);
    add();
  });
  for (const std::string& failure : failures)
    EXPECT_TRUE(has(failure, "not recorded), where rank 0 calls ncclAllReduce")) << failure;
}

TEST(Nccl, WantsTheOrderInWhichCallsWereRecorded) {
  const auto failures = on_ranks(1, [](Communicator& ranks, int, CUstream stream) {
    const OnDevice<float> data({1.0f});
    const CUgraphExec unordered = recorded(stream, [&] {
      ranks.all_reduce(data.at(), data.at(), 1, DType::float32, stream);
      driver().cuStreamUpdateCaptureDependencies_v2(stream, nullptr, nullptr, 0,
                                                    CU_STREAM_SET_CAPTURE_DEPENDENCIES);
      ranks.all_reduce(data.at(), data.at(), 1, DType::float32, stream);
    });
    launch_and_end(unordered, stream);
  });
  EXPECT_TRUE(has(failures[0], "call 1 of a graph runs before call 0")) << failures[0];
}

// The memory of a graph that was instantiated and destroyed is reused by the next one.
TEST(Nccl, GraphsHaveNoOrderAmongEachOther) {
  const auto failures = on_ranks(2, [](Communicator& ranks, int, CUstream stream) {
    const OnDevice<float> data({1.0f});
    const auto add = [&] { ranks.all_reduce(data.at(), data.at(), 1, DType::float32, stream); };
    const CUgraphExec first = recorded(stream, add), second = recorded(stream, add);
    launch_and_end(second, stream);
    launch_and_end(first, stream);
    EXPECT_EQ(data.values()[0], 4);
  });
  EXPECT_EQ(failures, std::vector<std::string>(2));
}

TEST(Nccl, NoticesAGraphThatOutlivesItsCommunicator) {
  setenv("NCCL_MULTI_RANK_GPU_ENABLE", "1", 1);
  NcclId id{};
  check(nccl().get_unique_id(&id), "making an id");
  const OnDevice<float> data({1.0f});
  Communicator ranks(gpu(0), 0, 1, id);
  CUstream stream = nullptr;
  check(driver().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "creating a stream");
  const CUgraphExec graph =
      recorded(stream, [&] { ranks.all_reduce(data.at(), data.at(), 1, DType::float32, stream); });
  ranks.abort();
  EXPECT_THROW(launch_and_end(graph, stream), CudaError);
  EXPECT_THROW(ranks.all_reduce(data.at(), data.at(), 1, DType::float32, stream), CudaError);
}

}  // namespace
}  // namespace stoker::cuda
