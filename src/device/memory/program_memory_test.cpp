#include "device/memory/program_memory.h"

#include "device/scope.h"
#include "support/fake_gpu.h"

namespace stoker::device {
namespace {

#define EXPECT_HAS(text, part) EXPECT_NE(std::string(text).find(part), std::string::npos) << text

class MemoryOfPrograms : public stoker::testing::FakeGpu {
 protected:
  MemoryOfPrograms() { set_logical_device_configuration(gpu(0), {{.memory_limit = 1}}); }
  static int64_t inputs() { return get_memory_info("fake:0")["inputs"].current; }
};

TEST_F(MemoryOfPrograms, IsOnTheAccount) {
  ProgramMemory memory(place("fake:0", "a test"));
  const StokerAllocator* allocator = memory.allocator();
  void* taken = allocator->take(allocator->context, 1000, "an input slot");
  ASSERT_NE(taken, nullptr);
  EXPECT_EQ(inputs(), 1000);
  allocator->give(allocator->context, taken);
  EXPECT_EQ(inputs(), 0);
}

TEST_F(MemoryOfPrograms, IsRefusedPastTheLimitAndSaidByTheEngine) {
  ProgramMemory memory(place("fake:0", "a test"));
  const StokerAllocator* allocator = memory.allocator();
  EXPECT_NO_THROW(memory.rethrow());
  EXPECT_EQ(allocator->take(allocator->context, 2 << 20, "an input slot"), nullptr);
  const std::string text = stoker::testing::message_of<OutOfMemory>([&] { memory.rethrow(); });
  EXPECT_HAS(text, "cannot hold an input slot of 2097152 bytes");
  EXPECT_HAS(text, "its memory_limit is 1 MB");
  EXPECT_HAS(text, "use a smaller batch");
  EXPECT_NO_THROW(memory.rethrow());  // was reported already
  EXPECT_EQ(inputs(), 0);
}

// A later failure had another reason.
TEST_F(MemoryOfPrograms, ForgetsARefusalAfterWhichLessWasEnough) {
  ProgramMemory memory(place("fake:0", "a test"));
  const StokerAllocator* allocator = memory.allocator();
  EXPECT_EQ(allocator->take(allocator->context, 2 << 20, "an input slot"), nullptr);
  EXPECT_NE(allocator->take(allocator->context, 1 << 10, "an input slot"), nullptr);
  EXPECT_NO_THROW(memory.rethrow());
}

}  // namespace
}  // namespace stoker::device
