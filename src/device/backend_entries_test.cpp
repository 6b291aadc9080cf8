#include "device/backend_entries.h"

#include <gtest/gtest.h>

#include "device/scope.h"

namespace stoker::device {
namespace {

TEST(BackendEntries, OfTheCpuAreWhole) { EXPECT_EQ(why_incomplete(host_device().table()), ""); }

TEST(BackendEntries, ThatAreRequiredMustBeThere) {
  StokerBackend table = host_device().table();
  table.synchronize = nullptr;
  EXPECT_EQ(why_incomplete(table), "its table has no \"synchronize\".");
  table.name = nullptr;
  EXPECT_EQ(why_incomplete(table), "its table has no \"name\".");
}

TEST(BackendEntries, OfAGroupAreThereTogether) {
  StokerBackend table = host_device().table();
  table.read_profile = nullptr;
  EXPECT_EQ(why_incomplete(table),
            "its table has \"start_profile\" but no \"read_profile\", which belong together.");
  table.start_profile = nullptr;
  table.stop_profile = nullptr;
  table.dropped_calls = nullptr;
  EXPECT_EQ(why_incomplete(table), "");
  table.wait = [](int32_t, StokerTicket) { return int32_t{0}; };
  EXPECT_EQ(why_incomplete(table),
            "its table has \"wait\" but no \"allocate_pinned\", which belong together.");
}

}  // namespace
}  // namespace stoker::device
