#include "device/device_name.h"

#include <gtest/gtest.h>

#include "stoker/error.h"

namespace stoker::device {
namespace {

TEST(DeviceName, ReadsAllForms) {
  for (const char* text : {"/gpu:1", "gpu:1", "GPU:1", "/GPU:1", "/device:GPU:1", "device:gpu:1"}) {
    const DeviceName name = parse_device_name(text);
    EXPECT_EQ(name.kind, "GPU") << text;
    EXPECT_EQ(name.number, 1) << text;
    EXPECT_FALSE(name.physical) << text;
  }
  const DeviceName physical = parse_device_name("/physical_device:GPU:2");
  EXPECT_TRUE(physical.physical);
  EXPECT_EQ(physical.number, 2);
  EXPECT_EQ(parse_device_name("cuda").kind, "CUDA");
  EXPECT_EQ(parse_device_name("cuda").number, 0);
}

TEST(DeviceName, RefusesWhatIsNone) {
  for (const char* text :
       {"", "/", "/gpu:", "/gpu:x", "/gpu:-1", "/gpu:1x", "/gpu:0:1", "g pu:0", "/gpu:99999999999"})
    EXPECT_THROW(parse_device_name(text), InvalidArgument) << text;
}

}  // namespace
}  // namespace stoker::device
