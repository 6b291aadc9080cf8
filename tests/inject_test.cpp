#include <gtest/gtest.h>

#include "../inject/window.h"
#include "stoker/io.h"

// The injected library's summary of a time window.
namespace stoker::inject {
namespace {

double figure(const Config& window, const char* name) { return window.find(name)->as_double(); }

TEST(InjectWindow, CountsTimeOnceWhereKernelsOverlapAndCutsAtItsEdges) {
  Window window;
  window.add_kernel("first", 500, 2'000);  // began before the window
  window.add_kernel("second \"x\"", 1'500, 3'000);
  window.add_kernel("first", 5'000, 6'000);
  window.add_kernel("second \"x\"", 9'000, 12'000);  // ends behind it
  window.add_kernel("lost", 0, 0);
  window.add_copy(5'500, 7'000, 300, true);
  window.add_copy(8'000, 8'500, 100, false);
  window.add_dropped(7);
  const Config found = parse_json(window.take(1'000, 11'000, 42));
  EXPECT_EQ(found.find("pid")->as_int(), 42);
  EXPECT_NEAR(figure(found, "seconds"), 10e-6, 1e-12);
  EXPECT_EQ(figure(found, "kernels"), 4);
  EXPECT_NEAR(figure(found, "kernel_seconds"), 5e-6, 1e-12);
  EXPECT_NEAR(figure(found, "copy_seconds"), 2e-6, 1e-12);
  EXPECT_NEAR(figure(found, "busy_seconds"), 6.5e-6, 1e-12);
  EXPECT_NEAR(figure(found, "median_gap"), 3e-6, 1e-12);
  EXPECT_NEAR(figure(found, "median_kernel"), 1.5e-6, 1e-12);
  EXPECT_EQ(figure(found, "copied_bytes"), 400);
  EXPECT_EQ(figure(found, "pageable_bytes"), 300);
  EXPECT_EQ(figure(found, "dropped"), 7);
  EXPECT_EQ(figure(found, "without_time"), 1);
  const Config::List& longest = found.find("longest")->as_list();
  ASSERT_EQ(longest.size(), 2u);
  EXPECT_EQ(longest[0].find("name")->as_string(), "second \"x\"");
  EXPECT_EQ(figure(longest[1], "count"), 2);
}

TEST(InjectWindow, BeginsAnew) {
  Window window;
  window.add_kernel("k", 1, 2);
  window.take(0, 10, 1);
  const Config found = parse_json(window.take(10, 20, 1));
  EXPECT_EQ(figure(found, "kernels"), 0);
  EXPECT_EQ(figure(found, "median_gap"), 0);
  EXPECT_TRUE(found.find("longest")->as_list().empty());
}

TEST(Inject, NamesKernelsAsTheirSourceDoes) {
  EXPECT_EQ(readable("_ZN2at6native4fillIfEEvPT_i"), "at::native::fill<float>(float*, int)");
  EXPECT_EQ(readable("gemm_tiles"), "gemm_tiles");
  EXPECT_EQ(readable("x"), "x");  // not a type
  EXPECT_EQ(readable("_Znonsense"), "_Znonsense");
  EXPECT_EQ(readable(std::string(300, 'x')).size(), 100u);
}

}  // namespace
}  // namespace stoker::inject
