#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "io/test_files.h"
#include "report/downsample.h"
#include "report/test_record.h"
#include "stoker/io.h"

// The page and the trace, as far as they can be checked without a browser.
namespace stoker::report {
namespace {

RunRecord::Curve curve_of(size_t points) {
  RunRecord::Curve curve{"loss", std::vector<int64_t>(points), std::vector<double>(points)};
  std::iota(curve.epochs.begin(), curve.epochs.end(), 1);
  for (size_t i = 0; i < points; ++i) curve.values[i] = std::sin(static_cast<double>(i));
  return curve;
}

TEST(ReportPage, HoldsTheRecordAndIsOneFile) {
  const TemporaryFolder folder;
  save_page(folder / "run.html", some_record());
  EXPECT_EQ(to_config(load_run(folder / "run.html")).to_string(),
            to_config(some_record()).to_string());
  const std::string page = to_html(some_record());
  for (const char* outside : {"src=", "http-equiv", "@import", "url(", "fetch("})
    EXPECT_EQ(page.find(outside), page.npos) << outside;
}

TEST(ReportPage, NothingInARecordEndsItsElement) {
  RunRecord run = some_record();
  run.name = "</script><script>alert(1)</script><!-- RECORD ELEMENT /*STYLE*/";
  run.layers[0].cost.name = run.name;
  const std::string page = to_html(run);
  EXPECT_EQ(page.find("alert(1)</script>"), page.npos);
  EXPECT_EQ(page.find("<script>alert"), page.npos);
  const TemporaryFolder folder;
  save_page(folder / "run.html", run);
  EXPECT_EQ(load_run(folder / "run.html").name, run.name);
}

TEST(ThinOut, KeepsEndsAndExtremesInTheirOrder) {
  RunRecord::Curve curve = curve_of(10'000);
  curve.values[4567] = 9;
  curve.values[7001] = -9;
  curve.values[8002] = NAN;
  downsample(curve, 1000);
  EXPECT_LE(curve.values.size(), 1000u);
  EXPECT_GT(curve.values.size(), 900u);
  EXPECT_EQ(curve.epochs.front(), 1);
  EXPECT_EQ(curve.epochs.back(), 10'000);
  EXPECT_TRUE(std::ranges::is_sorted(curve.epochs));
  const auto value_at = [&](int64_t epoch) {
    const auto at = std::ranges::find(curve.epochs, epoch);
    return at == curve.epochs.end() ? 0
                                    : curve.values[static_cast<size_t>(at - curve.epochs.begin())];
  };
  EXPECT_EQ(value_at(4568), 9);
  EXPECT_EQ(value_at(7002), -9);
  EXPECT_TRUE(std::isnan(value_at(8003)));
}

TEST(ThinOut, LeavesShortCurvesAlone) {
  RunRecord::Curve curve = curve_of(1000);
  downsample(curve, 1000);
  EXPECT_EQ(curve.values.size(), 1000u);
}

TEST(Trace, HasALaneForEachThreadAndMicroseconds) {
  const Config trace = parse_json(to_trace(some_record()));
  const Config::List& events = trace.find("traceEvents")->as_list();
  ASSERT_EQ(events.size(), 5u);  // the process, two lanes, two spans
  EXPECT_EQ(events[1].find("args")->find("name")->as_string(), "host");
  EXPECT_EQ(events[4].find("name")->as_string(), "model/dense/matmul");
  EXPECT_DOUBLE_EQ(events[4].find("ts")->as_double(), 5e4);
  EXPECT_NEAR(events[4].find("dur")->as_double(), 3e4, 1e-6);
}

}  // namespace
}  // namespace stoker::report
