#include <gtest/gtest.h>

#include "device/memory/buffer.h"
#include "device/scope.h"
#include "stoker/error.h"
#include "support/fresh_devices.h"

namespace stoker {
namespace {

using device::Buffer;
using device::MemoryKind;

constexpr int64_t mb = 1 << 20;

class Devices : public testing::FreshDevices {
 protected:
  static void split_cpu(std::vector<LogicalDeviceConfiguration> parts) {
    set_logical_device_configuration(cpu(), parts);
  }
  static device::Device device(const std::string& name) { return device::place(name, "a test"); }
};

#define EXPECT_HAS(text, part) EXPECT_NE(std::string(text).find(part), std::string::npos) << text

TEST_F(Devices, ListsThePhysicalOnesWithoutUsingThem) {
  const auto cpus = list_physical_devices("CPU");
  ASSERT_EQ(cpus.size(), 1u);
  EXPECT_EQ(cpus[0], (PhysicalDevice{"/physical_device:CPU:0", "CPU"}));
  EXPECT_EQ(list_physical_devices("cpu"), cpus);
  EXPECT_GE(list_physical_devices().size(), 1u);
  EXPECT_TRUE(list_physical_devices("TPU").empty());
  split_cpu({{}, {}});  // still possible
  EXPECT_EQ(list_logical_devices("CPU").size(), 2u);
}

TEST_F(Devices, SplitTheCpu) {
  split_cpu({{.memory_limit = 10}, {.memory_limit = 20}});
  const auto logical = list_logical_devices("CPU");
  ASSERT_EQ(logical.size(), 2u);
  EXPECT_EQ(logical[1], (LogicalDevice{"/device:CPU:1", "CPU"}));
  EXPECT_EQ(get_memory_info("CPU:0").limit, 10 * mb);
  EXPECT_EQ(get_memory_info("/cpu:1").limit, 20 * mb);
  EXPECT_EQ(device("/cpu:1").describe().memory, static_cast<uint64_t>(20 * mb));
}

TEST_F(Devices, LimitsHoldForEachPartByItself) {
  split_cpu({{.memory_limit = 2}, {.memory_limit = 2}});
  const Buffer first(device("/cpu:0"), 3 * mb / 2);
  const std::string text = testing::message_of<OutOfMemory>(
      [&] { Buffer(device("/cpu:0"), mb, "a thing", MemoryKind::inputs); });
  EXPECT_HAS(text, "/cpu:0 cannot hold a thing of 1048576 bytes");
  EXPECT_HAS(text, "its memory_limit is 2 MB");
  EXPECT_HAS(text, "other 1.50 MB");
  EXPECT_NO_THROW(Buffer(device("/cpu:1"), mb));
}

TEST_F(Devices, CountMemoryByWhatItIsFor) {
  split_cpu({{.memory_limit = 100}});
  const auto cpu = device("/cpu:0");
  {
    const Buffer weights(cpu, 1000, "weights", MemoryKind::parameters);
    const Buffer copy = weights;  // shares it
    const Buffer arena(cpu, 5000, "arena", MemoryKind::activations, 2000);
    const MemoryInfo info = get_memory_info("/cpu:0");
    EXPECT_EQ(info.current, 6000);
    EXPECT_EQ(info["parameters"].current, 1000);
    EXPECT_EQ(info["activations"].current, 3000);
    EXPECT_EQ(info["workspace"].current, 2000);
  }
  MemoryInfo info = get_memory_info("/cpu:0");
  EXPECT_EQ(info.current, 0);
  EXPECT_EQ(info.peak, 6000);
  EXPECT_EQ(info["activations"].peak, 3000);
  reset_memory_stats("/cpu:0");
  info = get_memory_info("/cpu:0");
  EXPECT_EQ(info.peak, 0);
  EXPECT_EQ(info["workspace"].peak, 0);
  EXPECT_THROW(info["gradient"], InvalidArgument);
}

TEST_F(Devices, ReserveMemoryThatMayNotGrow) {
  EXPECT_TRUE(get_memory_growth(cpu()));
  set_memory_growth(cpu(), false);
  EXPECT_FALSE(get_memory_growth(cpu()));
  split_cpu({{.memory_limit = 4}});
  const auto one = device("/cpu:0");
  EXPECT_EQ(one.describe().memory_free, static_cast<uint64_t>(4 * mb));
  Buffer a(one, mb), b(one, mb);
  EXPECT_EQ(static_cast<std::byte*>(b.data()) - static_cast<std::byte*>(a.data()), mb);
  void* const place = a.data();
  a = {};
  EXPECT_EQ(Buffer(one, mb).data(), place);
  EXPECT_THROW(Buffer(one, 4 * mb), OutOfMemory);
}

TEST_F(Devices, SayHowMuchOfReservedMemoryIsInOnePiece) {
  set_memory_growth(cpu(), false);
  split_cpu({{.memory_limit = 4}});
  const auto one = device("/cpu:0");
  Buffer a(one, mb), b(one, mb);
  a = {};
  EXPECT_EQ(one.free_memory().all, 3 * mb);
  EXPECT_EQ(one.free_memory().largest_piece, 2 * mb);
  EXPECT_EQ(one.free_memory().to_string(), "3.00 MB free, 2.00 MB of it in one piece");
  EXPECT_HAS(testing::message_of<OutOfMemory>([&] { Buffer(one, 3 * mb); }),
             "3145728 of 4194304 bytes are free, 2097152 of them in one piece");
  b = {};
  EXPECT_EQ(one.free_memory().to_string(), "4.00 MB free");
}

TEST_F(Devices, TheWholeMachineIsNotReserved) {
  set_memory_growth(cpu(), false);
  EXPECT_HAS(testing::message_of<InvalidArgument>([] { list_logical_devices(); }), "memory_limit");
}

TEST_F(Devices, StayAsTheyAreOnceUsed) {
  list_logical_devices();
  const auto refusal = [](auto change) { return testing::message_of<DeviceError>(change); };
  EXPECT_HAS(refusal([] { split_cpu({{}, {}}); }), "in use since list_logical_devices()");
  EXPECT_HAS(refusal([] { set_visible_devices({}, "GPU"); }), "set_visible_devices: the devices");
  EXPECT_HAS(refusal([] { set_memory_growth(cpu(), false); }), "set_memory_growth");
  EXPECT_NO_THROW(set_memory_growth(cpu(), true));  // as it is already
}

TEST_F(Devices, SayWhoUsedThemFirst) {
  { const Device scope("/cpu:0"); }
  EXPECT_HAS(testing::message_of<DeviceError>([] { split_cpu({}); }), "Device(\"/cpu:0\")");
}

TEST_F(Devices, BadSettingsAreRefused) {
  const PhysicalDevice absent{"/physical_device:CPU:7", "CPU"};
  const std::string text =
      testing::message_of<InvalidArgument>([&] { set_memory_growth(absent, true); });
  EXPECT_HAS(text, "CPU:7");
  EXPECT_HAS(text, "/physical_device:CPU:0");
  EXPECT_THROW(set_visible_devices(absent), InvalidArgument);
  EXPECT_THROW(set_visible_devices(cpu(), "GPU"), InvalidArgument);
  EXPECT_THROW(set_visible_devices({}, "CPU"), InvalidArgument);
  EXPECT_THROW(split_cpu({{.memory_limit = -1}}), InvalidArgument);
}

TEST_F(Devices, NamesThatAreNotThere) {
  EXPECT_HAS(testing::message_of<DeviceError>([] { const Device scope("/cpu:3"); }),
             "there is only /cpu:0");
  EXPECT_HAS(testing::message_of<DeviceError>([] { const Device scope("/tpu:0"); }), "/cpu:0");
  EXPECT_THROW(get_memory_info("cpu 0"), InvalidArgument);
}

TEST_F(Devices, TheEnvironmentNamesTheDefault) {
  split_cpu({{}, {}});
  const testing::Environment wanted("STOKER_DEVICE", "/cpu:1");
  EXPECT_EQ(device::current_device("a test").name(), "/cpu:1");
  EXPECT_EQ(list_devices().default_device, "/cpu:1");
}

TEST_F(Devices, TheEnvironmentNamesWhatIsNotThere) {
  const testing::Environment wanted("STOKER_DEVICE", "/cpu:9");
  const std::string text =
      testing::message_of<DeviceError>([] { device::current_device("a test"); });
  EXPECT_HAS(text, "/cpu:9");
  EXPECT_HAS(text, "STOKER_DEVICE");
}

TEST_F(Devices, ScopesNest) {
  split_cpu({{}, {}, {}});
  const Device outer("/cpu:1");
  EXPECT_EQ(outer.logical().name, "/device:CPU:1");
  {
    const Device inner("/device:CPU:2");
    EXPECT_EQ(device::current_device("a test").name(), "/cpu:2");
  }
  EXPECT_EQ(device::current_device("a test").name(), "/cpu:1");
}

}  // namespace
}  // namespace stoker
