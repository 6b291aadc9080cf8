#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/simd_targets.h"

namespace stoker::cpu {

// Random values in [-1, 1), reproducible.
class Filler {
 public:
  explicit Filler(int64_t seed) : engine_(static_cast<uint32_t>(seed)) {}
  std::vector<float> operator()(int64_t n) {
    std::vector<float> values(n);
    for (float& value : values) value = std::uniform_real_distribution<float>(-1, 1)(engine_);
    return values;
  }

 private:
  std::mt19937 engine_;
};

// Exactly as large as promised, so that a sanitizer detects every overrun, and not zeroed.
class Workspace {
 public:
  explicit Workspace(size_t bytes)
      : data_(std::aligned_alloc(64, std::max<size_t>(64, (bytes + 63) / 64 * 64)), &std::free) {
    for (size_t i = 0; i < bytes / sizeof(float); ++i) static_cast<float*>(data_.get())[i] = 1e30f;
  }
  void* data() { return data_.get(); }

 private:
  std::unique_ptr<void, void (*)(void*)> data_;
};

inline std::vector<int64_t> supported_targets() {
  std::vector<int64_t> targets;
  for (int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
    const int64_t target = rest & -rest;
    if (target & HWY_TARGETS) targets.push_back(target);
  }
  return targets;
}

inline std::string target_name(const ::testing::TestParamInfo<int64_t>& info) {
  return hwy::TargetName(info.param);
}

// Forces one SIMD target for the length of a test.
class TargetTest : public ::testing::TestWithParam<int64_t> {
 protected:
  void SetUp() override { use(GetParam()); }
  void TearDown() override { use(0); }

 private:
  static void use(int64_t targets) {
    hwy::SetSupportedTargetsForTest(targets);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

}  // namespace stoker::cpu
