#include "device/backend.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "device/memory/buffer.h"
#include "device/scope.h"
#include "nn/memory/device_of_model.h"
#include "stoker/layers.h"
#include "support/fake_gpu.h"

// Plugins that load, have another interface version, or have no devices.
namespace stoker::device {
namespace {

using testing::backend_folder;
using testing::Environment;
using testing::FakeGpu;
using testing::message_of;

#define EXPECT_HAS(text, part) EXPECT_NE(std::string(text).find(part), std::string::npos) << text

class Plugins : public testing::FreshDevices {
 protected:
  static std::string reason(const std::string& backend) {
    for (const BackendFailure& failure : list_devices().failed)
      if (failure.backend == backend) return failure.reason;
    return "no failure";
  }
  static std::string with_plugin(const std::string& name) {
    const Environment path("STOKER_BACKEND_PATH", backend_folder(name).c_str());
    Registry::global().reset();
    return reason(name);
  }
};

TEST_F(Plugins, OfAnotherInterface) {
  const std::string text = with_plugin("old");
  EXPECT_HAS(text, "old/libstoker_old.so has interface version 1, but this program needs version " +
                       std::to_string(stoker_backend_interface));
  EXPECT_HAS(text, "build both from the same sources");
}

TEST_F(Plugins, WithoutADevice) {
  const Environment path("STOKER_BACKEND_PATH", backend_folder("without").c_str());
  Registry::global().reset();
  std::string text;
  for (const BackendFailure& failure : list_devices().failed) text += failure.reason;
  EXPECT_HAS(text, "has no device: the driver is version 1, and the runtime wants 2.");
}

TEST_F(Plugins, WithoutAnEntryPoint) { EXPECT_HAS(with_plugin("other"), "no stoker_backend()"); }

TEST_F(Plugins, ThatAreNoLibraries) {
  const std::string folder = ::testing::TempDir() + "stoker_backend_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/libstoker_text.so") << "hello";
  const Environment path("STOKER_BACKEND_PATH", folder.c_str());
  Registry::global().reset();
  EXPECT_HAS(reason("text"), "libstoker_text.so");
  std::filesystem::remove_all(folder);
}

TEST_F(Plugins, AGpuThatIsNotThere) {
  list_physical_devices();  // a real driver reads the variable below when it starts, and only then
  const Environment path("STOKER_BACKEND_PATH", backend_folder("without").c_str());
  const Environment hidden("CUDA_VISIBLE_DEVICES", "-1");
  Registry::global().reset();
  if (!list_physical_devices("GPU").empty()) GTEST_SKIP() << "there is a GPU";
  ::testing::internal::CaptureStderr();
  {
    const stoker::Device scope("/gpu:0");
    EXPECT_EQ(current_device("a test").name(), "/cpu:0");
    const stoker::Device again("/gpu:0");
  }
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_HAS(said, "Device(\"/gpu:0\") uses the CPU instead");
  EXPECT_HAS(said, "the driver is version 1, and the runtime wants 2.");
  EXPECT_HAS(said, "CUDA_VISIBLE_DEVICES is \"-1\"");
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  set_soft_device_placement(false);
  EXPECT_HAS(message_of<DeviceError>([] { const stoker::Device scope("/gpu:0"); }),
             "there is no device \"/gpu:0\"");
}

TEST_F(Plugins, FitSaysWhyItGoesOnWithTheCpu) {
  const Environment path("STOKER_BACKEND_PATH", backend_folder("without").c_str());
  const Environment no_default("STOKER_DEVICE", nullptr);
  Registry::global().reset();
  if (!list_physical_devices("GPU").empty()) GTEST_SKIP() << "there is a GPU";
  Sequential model({Input({.shape = {4}}), layers::Dense({.units = 1})});
  model.compile({.loss = "mse"});
  const Array x(DType::float32, Shape{8, 4}), y(DType::float32, Shape{8, 1});
  ::testing::internal::CaptureStderr();
  model.fit(x, y, {.verbose = 0});
  model.fit(x, y, {.verbose = 0});
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_HAS(said, "fit runs on the CPU: ");
  EXPECT_HAS(said, "the runtime wants 2.");
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
}

// No pinned memory, no tickets, no profile: data that does not fit is streamed all the same.
TEST_F(Plugins, WithoutOptionalEntriesTrainLikeTheCpu) {
  const Environment path("STOKER_BACKEND_PATH", backend_folder("plain").c_str());
  const Environment memory("STOKER_FAKE_MEMORY", "500000");
  const auto weights_on = [](const char* name) {
    const Environment device("STOKER_DEVICE", name);
    Registry::global().reset();
    set_random_seed(3);
    Sequential model({Input({.shape = {16}}), layers::Dense({.units = 2})});
    model.compile({.optimizer = "adam", .loss = "mse"});
    Array x(DType::float32, Shape{8000, 16});
    for (size_t i = 0; float& value : x.mutable_data<float>())
      value = static_cast<float>(++i * 37 % 101) / 101;
    model.fit(x, Array(DType::float32, Shape{8000, 2}), {.epochs = 2, .verbose = 0});
    return model.get_weights()[0];
  };
  const Array here = weights_on("/cpu:0"), there = weights_on("fake:0");
  EXPECT_TRUE(std::ranges::equal(there.data<float>(), here.data<float>()));
}

class Gpus : public FakeGpu {};

TEST_F(Gpus, AreTheDefault) {
  const Environment no_default("STOKER_DEVICE", nullptr);
  EXPECT_FALSE(current_device("a test").is_host());
}

// Describing a GPU may initialise it, which takes memory on it.
TEST_F(Gpus, AreListedWithoutBeingStarted) {
  control.descriptions = control.allocations = 0;
  EXPECT_GE(list_physical_devices("GPU").size(), 2u);
  EXPECT_GE(list_logical_devices("GPU").size(), 2u);
  EXPECT_EQ(control.descriptions, 0);
  EXPECT_EQ(control.allocations, 0);
}

TEST_F(Gpus, VisibleOnesAreCountedAnew) {
  set_visible_devices(gpu(1), "GPU");
  EXPECT_EQ(get_visible_devices("GPU"), PhysicalDevices(gpu(1)));
  EXPECT_EQ(list_logical_devices("GPU"), (std::vector<LogicalDevice>{{"/device:GPU:0", "GPU"}}));
  EXPECT_EQ(current_device("a test").index, 1);
  EXPECT_HAS(message_of<DeviceError>([] { const stoker::Device scope("/gpu:1"); }),
             "there is only /gpu:0");
}

TEST_F(Gpus, HiddenOnesAreNotUsed) {
  const Environment no_default("STOKER_DEVICE", nullptr);
  set_visible_devices({}, "GPU");
  EXPECT_TRUE(list_logical_devices("GPU").empty());
  EXPECT_TRUE(current_device("a test").is_host());
  set_soft_device_placement(false);
  EXPECT_HAS(message_of<DeviceError>([] { const stoker::Device scope("/gpu:0"); }),
             "set_visible_devices has hidden every GPU");
}

TEST_F(Gpus, PhysicalNames) {
  set_logical_device_configuration(gpu(0), {{.memory_limit = 10}, {.memory_limit = 10}});
  const stoker::Device scope(gpu(1).name);
  EXPECT_EQ(current_device("a test").index, 1);
  EXPECT_FALSE(current_device("a test").account->limit());
}

TEST_F(Gpus, ReserveNearlyAll) {
  set_memory_growth(gpu(0), false);
  const Device one = place("fake:0", "a test");
  StokerDevice described{};
  one.table().describe(0, &described);
  EXPECT_LT(described.memory_free, control.memory / 10);
  EXPECT_GT(one.describe().memory_free, control.memory * 8 / 10);
  const Buffer buffer(one, control.memory / 2);
  EXPECT_EQ(get_memory_info("fake:0").current, static_cast<int64_t>(control.memory / 2));
}

TEST_F(Gpus, PartsWithoutLimitsReserveAlike) {
  leave_free(20 << 20);
  set_memory_growth(gpu(0), false);
  set_logical_device_configuration(gpu(0), {{}, {.memory_limit = 4}, {}});
  const auto reserved = [](const char* name) { return place(name, "a test").describe().memory; };
  EXPECT_EQ(reserved("fake:0"), reserved("fake:2"));
  EXPECT_NEAR(static_cast<double>(reserved("fake:0")), 7.5 * (1 << 20), 1024);
  EXPECT_EQ(reserved("fake:1"), 4u << 20);
}

TEST_F(Gpus, GiveBackWhatTheyReservedWhereAPartOfThemFails) {
  leave_free(10 << 20);
  set_memory_growth(gpu(0), false);
  set_logical_device_configuration(gpu(0), {{.memory_limit = 6}, {.memory_limit = 6}});
  EXPECT_HAS(message_of<OutOfMemory>([] { list_logical_devices(); }),
             "cannot reserve 6291456 bytes: 4194304 of ");
  set_logical_device_configuration(gpu(0), {{.memory_limit = 5}, {.memory_limit = 5}});
  EXPECT_NO_THROW(list_logical_devices());
  EXPECT_NO_THROW(Buffer(place("fake:1", "a test"), 5 << 20));
}

TEST_F(Gpus, SayWhoHasTheMemory) {
  const std::string text = message_of<OutOfMemory>(
      [&] { Buffer(place("fake:0", "a test"), 2 * control.memory, "a thing"); });
  EXPECT_HAS(text, "process 4711 (other) holds 1 GB of it");
}

TEST_F(Gpus, AreListedWithTheirLibraries) {
  for (const DeviceInfo& info : list_devices().devices)
    if (info.backend == "fake") {
      EXPECT_EQ(info.detail, "driver 1.2, runtime 3.4");
      EXPECT_EQ(info.libraries, "libfake 5.6");
      EXPECT_EQ(info.logical.size(), 1u);
      return;
    }
  FAIL() << "it is not listed";
}

}  // namespace
}  // namespace stoker::device
