#include "device/memory/buffer.h"
#include "device/scope.h"
#include "exec/traced_step.h"
#include "stoker/ops/reduce.h"
#include "stoker/tensor.h"
#include "support/fresh_devices.h"

// Memory allocated by a CUDA program itself is on the device's account and within its limit.
namespace stoker {
namespace {

constexpr int64_t mb = 1 << 20;

class CudaMemory : public testing::FreshDevices {
 protected:
  CudaMemory() {
    for (const auto& physical : device::Registry::global().physical())
      if (std::string(physical.backend->table->name) == "cuda") gpu_ = physical.handle();
  }
  void SetUp() override {
    if (!gpu_) GTEST_SKIP() << "no GPU of CUDA's";
  }
  void limit_to(int64_t megabytes) {
    set_logical_device_configuration(*gpu_, {{.memory_limit = megabytes}});
  }
  static int64_t held(const char* kind) { return get_memory_info("cuda:0")[kind].current; }

  // Sums rows of `width` floats, one per step, which the program first copies to a slot.
  static double sum_of_rows(int64_t width, int64_t rows) {
    const Device scope("cuda:0");
    const Variable total(Array(DType::float32, {}), "total");
    exec::TracedStep traced([&](const std::vector<Tensor>& in) {
      total.assign(total.read() + ops::sum(in[0]));
      return std::vector<Tensor>{};
    });
    const std::vector<float> values(static_cast<size_t>(rows * width), 0.5f);
    const device::Buffer buffer(device::current_device("test"), values.size() * sizeof(float));
    buffer.upload(values.data(), buffer.bytes());
    const exec::StepRef step = traced.step_for({{DType::float32, Shape{width}}});
    void* const inputs[] = {buffer.data()};
    const int64_t strides[] = {width * static_cast<int64_t>(sizeof(float))};
    const int64_t before = held("inputs");
    step->run_steps({inputs, strides, rows});
    slot = held("inputs") - before;
    return total.array().data<float>()[0];
  }
  static inline int64_t slot = 0;

 private:
  std::optional<PhysicalDevice> gpu_;
};

TEST_F(CudaMemory, SlotsAreOnTheAccount) {
  limit_to(64);
  EXPECT_EQ(sum_of_rows(2 * mb, 2), 2.0 * mb);
  EXPECT_EQ(slot, 8 * mb + 16);  // a row, and its address
  EXPECT_EQ(held("inputs"), 0);
}

TEST_F(CudaMemory, ASmallSlotHoldsManySteps) {
  limit_to(64);
  EXPECT_EQ(sum_of_rows(256, 2), 256.0);
  EXPECT_EQ(slot, 64 * 1024 + 16);
}

TEST_F(CudaMemory, ASlotHoldsOneStepWhereThereIsNoRoomForMany) {
  limit_to(1);
  EXPECT_EQ(sum_of_rows(8 << 10, 30), 15.0 * (8 << 10));  // the rows take nearly all of it
  EXPECT_EQ(slot, (32 << 10) + 16);
}

TEST_F(CudaMemory, SlotsThatExceedTheLimitAreRefusedLikeOtherMemory) {
  limit_to(12);
  const std::string text =
      testing::message_of<OutOfMemory>([] { sum_of_rows(2 * mb, 1); });  // 8 MB, and a slot of 8
  for (const char* part : {"cannot hold an input slot of 8388608 bytes",
                           "its memory_limit is 12 MB", "other 8.00 MB", "use a smaller batch"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
  EXPECT_EQ(get_memory_info("cuda:0").current, 0);
  EXPECT_EQ(sum_of_rows(mb, 1), mb / 2.0);  // a smaller one still fits
}

}  // namespace
}  // namespace stoker
