#include "observe/nvml.h"

#include <gtest/gtest.h>

#include "support/fake_nvidia.h"

namespace stoker::observe {
namespace {

TEST(Nvml, TellsWhatTheGpuDoes) {
  FakeNvidia fake;
  fake.set("busy", 37), fake.set("memory_used", 5'000'000), fake.set("clock", 990);
  fake.set("slowdowns", 0x40 | 0x4), fake.set("process", 4711);
  fake.set("gpm_2", 25), fake.set("gpm_21", 100), fake.set("gpm_20", 1);
  Nvml nvml;
  ASSERT_EQ(nvml.failure(), "");
  EXPECT_EQ(nvml.driver_version(), "580.65.06");
  nvml.sample();
  const GpuSample gpu = nvml.sample().at(0);  // GPM needs two
  EXPECT_EQ(gpu.name, "Fake H200");
  EXPECT_DOUBLE_EQ(gpu.busy.value(), 0.37);
  EXPECT_EQ(gpu.memory_used, 5e6);
  EXPECT_EQ(gpu.sm_clock, 990);
  EXPECT_EQ(gpu.power_limit, 700);
  EXPECT_EQ(gpu.slowdowns, (std::vector<std::string>{"thermal", "power limit"}));
  EXPECT_DOUBLE_EQ(gpu.sm_active.value(), 0.25);
  EXPECT_DOUBLE_EQ(gpu.pcie_in.value(), 100.0 * 1024 * 1024);
  EXPECT_NEAR(gpu.pcie_limit.value(), 63e9, 1e9);
  ASSERT_EQ(gpu.processes.size(), 1u);
  EXPECT_EQ(gpu.processes[0].pid, 4711);
  EXPECT_DOUBLE_EQ(gpu.processes[0].sm_share.value(), 0.37);
}

TEST(Nvml, WithoutGpmThePlainCounterOfPciBytesServes) {
  FakeNvidia fake;
  fake.set("gpm", 0), fake.set("pcie_in", 2'000), fake.set("gpm_21", 999);
  Nvml nvml;
  nvml.sample();
  const GpuSample gpu = nvml.sample().at(0);
  EXPECT_EQ(gpu.sm_active, std::nullopt);
  EXPECT_EQ(gpu.pcie_in, 2e6);
}

TEST(Nvml, WhatAFunctionRefusesIsAbsent) {
  FakeNvidia fake;
  fake.set("fails_nvmlDeviceGetUtilizationRates", 3), fake.set("fails_nvmlGpmMetricsGet", 3);
  Nvml nvml;
  nvml.sample();
  const GpuSample gpu = nvml.sample().at(0);
  EXPECT_EQ(gpu.busy, std::nullopt);
  EXPECT_EQ(gpu.sm_active, std::nullopt);
}

TEST(Nvml, SaysWhyThereIsNone) {
  {
    FakeNvidia none(std::vector<std::string>{});
    EXPECT_NE(Nvml().failure().find("there is no NVIDIA driver"), std::string::npos)
        << Nvml().failure();
  }
  FakeNvidia fake;
  fake.set("fails_nvmlInit_v2", 18);
  EXPECT_EQ(Nvml().failure(), "NVML does not start: Driver/library version mismatch (error 18)");
  fake.set("fails_nvmlInit_v2", 0), fake.set("gpus", 0);
  EXPECT_EQ(Nvml().failure(), "the NVIDIA driver has no GPU");
}

}  // namespace
}  // namespace stoker::observe
