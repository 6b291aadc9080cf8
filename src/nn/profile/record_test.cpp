#include <cmath>
#include <cstdlib>
#include <set>

#include "graph/memory_peak.h"
#include "nn/model_impl.h"
#include "nn/test_models.h"
#include "stoker/callbacks/lambda_callback.h"
#include "stoker/run_record.h"
#include "support/fake_gpu.h"

// The record that fit writes for the report: profiled steps by layer, a time line, memory, curves.
namespace stoker {
namespace {

using namespace test;

class RecordOfAFit : public ::testing::Test {
 protected:
  RecordOfAFit() { ::setenv("STOKER_CACHE_DIR", folder.path().c_str(), 1); }
  ~RecordOfAFit() override { ::unsetenv("STOKER_CACHE_DIR"); }
  RunRecord fit(const FitArgs& args) {
    const Samples data = samples(40);
    model.fit(data.x, data.y, args);
    return model.record();
  }

  const TemporaryFolder folder;
  Sequential model = classifier();
};

const RunRecord::Layer* layer_of(const RunRecord& run, const std::string& end) {
  for (const RunRecord::Layer& layer : run.layers)
    if (layer.cost.name.ends_with(end)) return &layer;
  return nullptr;
}

TEST_F(RecordOfAFit, TimesTheCallsOfTheStepsAskedFor) {
  const RunRecord run =
      // spans the end of an epoch
      fit({.batch_size = 4, .epochs = 3, .verbose = 0, .profile = {8, 13}});
  EXPECT_EQ(run.profile.steps, 6);
  EXPECT_EQ(run.profile.note, "");
  EXPECT_GT(run.profile.call_seconds, 0);
  EXPECT_LE(run.profile.call_seconds, run.profile.step_seconds);
  double sum = 0;
  for (const RunRecord::Layer& layer : run.layers) sum += layer.cost.seconds;
  EXPECT_NEAR(sum, run.profile.call_seconds, 1e-9);
  for (const LayerRef& layer : model.layers()) {
    const RunRecord::Layer* const found = layer_of(run, "/" + layer->name());
    ASSERT_TRUE(found) << layer->name();
    EXPECT_GT(found->cost.seconds, 0);
    EXPECT_GT(found->cost.flops, 0);
    EXPECT_GT(found->cost.limit, 0);
    EXPECT_NE(found->cost.bound, "");
  }
  EXPECT_EQ(run.profile.ceilings.size(), 2u);
  const Account::Work& work = run.account.work;
  double flops = 0, limit = 0;
  for (const RunRecord::Layer& layer : run.layers)
    flops += layer.cost.flops, limit += layer.cost.limit;
  EXPECT_NEAR(work.flops, flops, 1e-9 * flops);
  EXPECT_NEAR(work.limit, limit, 1e-9 * limit);
  EXPECT_EQ(work.peak_flops, run.profile.ceilings[0].rate);
  EXPECT_EQ(work.peak_bandwidth, run.profile.ceilings[1].rate);
  EXPECT_NE(work.op, "");
  EXPECT_TRUE(std::filesystem::exists(folder / "ceilings.json"));
}

TEST_F(RecordOfAFit, ShowsTheLongestStepsOnHostAndDevice) {
  const RunRecord run = fit({.batch_size = 4, .epochs = 2, .verbose = 0, .profile = {2, 9}});
  EXPECT_EQ(run.timeline.steps, 3);
  EXPECT_GE(run.timeline.first_step, 2);
  std::set<std::string> lanes;
  double end = 0;
  for (const RunRecord::Span& span : run.timeline.spans) {
    lanes.insert(span.lane);
    EXPECT_GE(span.begin, 0);
    EXPECT_GT(span.end, span.begin);
    end = std::max(end, span.end);
  }
  EXPECT_EQ(lanes, (std::set<std::string>{"host", "device"}));
  EXPECT_GT(end, 0);
}

TEST_F(RecordOfAFit, ShowsTheThreadsThatFeedIt) {
  const Samples data = samples(40);
  const auto batches = Dataset::from_tensor_slices({data.x, data.y})
                           .map([](const Array& x, const Array& y) { return std::pair(x, y); },
                                {.num_parallel_calls = 2})
                           .batch(4);
  model.fit(batches, {.verbose = 0, .profile = {1, 10}});
  const RunRecord run = model.record();
  EXPECT_EQ(run.profile.steps, 10);
  EXPECT_FALSE(model.impl().fits.last.notes.profile.feeders.empty());
  EXPECT_EQ(model.impl().fits.last.notes.profile.feeders[0].stage, "map");
  EXPECT_GE(run.input.stages.size(), 3u);
}

TEST_F(RecordOfAFit, TrainsTheSameWithAProfile) {
  fit({.batch_size = 4, .epochs = 2, .verbose = 0, .profile = {3, 7}});
  Sequential other = classifier();
  const Samples data = samples(40);
  other.fit(data.x, data.y, {.batch_size = 4, .epochs = 2, .verbose = 0});
  EXPECT_EQ(difference(model.get_weights(), other.get_weights()), 0);
}

TEST_F(RecordOfAFit, WithoutAProfileHasCostsAndTheHostsTimeAlone) {
  const RunRecord run = fit({.batch_size = 4, .verbose = 0});
  EXPECT_EQ(run.profile.steps, 0);
  EXPECT_TRUE(run.profile.ceilings.empty());
  EXPECT_FALSE(std::filesystem::exists(folder / "ceilings.json"));  // nothing was measured
  const RunRecord::Layer* const dense = layer_of(run, "/" + model.layers().back()->name());
  ASSERT_TRUE(dense);
  EXPECT_GT(dense->cost.flops, 0);
  EXPECT_EQ(dense->cost.seconds, 0);
  for (const RunRecord::Span& span : run.timeline.spans) EXPECT_EQ(span.lane, "host");
  EXPECT_EQ(run.account.steps, 10);
  EXPECT_EQ(run.account.samples, 40);
  EXPECT_EQ(run.state, "finished");
}

TEST_F(RecordOfAFit, OfAModelThatWasNotTrainedIsEmpty) {
  const RunRecord run = model.record();
  EXPECT_EQ(run.state, "not run");
  EXPECT_TRUE(run.curves.empty() && run.layers.empty() && run.timeline.spans.empty());
  EXPECT_EQ(run.model.size(), 2u);
}

TEST_F(RecordOfAFit, SaysThatTheStepsNeverCame) {
  const RunRecord run = fit({.batch_size = 4, .verbose = 0, .profile = {100, 110}});
  EXPECT_EQ(run.profile.note,
            "Steps 100 to 110 should have been profiled, but the run had only 10 steps.");
}

TEST_F(RecordOfAFit, RefusesStepsThatAreNone) {
  for (const ProfileSteps& bad : {ProfileSteps{0, 5}, ProfileSteps{-1, 5}, ProfileSteps{7, 6}})
    EXPECT_NE(error_of([&] { fit({.profile = bad}); }).find("fit: profile must be two numbers"),
              std::string::npos);
}

TEST_F(RecordOfAFit, KnowsTheEpochsOfEachCurve) {
  const RunRecord run = fit(
      {.batch_size = 8, .epochs = 5, .verbose = 0, .validation_split = 0.2, .validation_freq = 2});
  for (const RunRecord::Curve& curve : run.curves)
    EXPECT_EQ(curve.epochs, curve.name.starts_with("val_") ? (std::vector<int64_t>{2, 4})
                                                           : (std::vector<int64_t>{1, 2, 3, 4, 5}))
        << curve.name;
  EXPECT_EQ(run.curves.size(), 4u);
}

TEST_F(RecordOfAFit, CanBeReadWhileItRuns) {
  std::vector<RunRecord> runs;
  fit({.batch_size = 4,
       .epochs = 2,
       .verbose = 0,
       .callbacks = callbacks::LambdaCallback(
           {.on_epoch_end = [&](int64_t, Logs&) { runs.push_back(model.record()); }})});
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[1].state, "running");
  EXPECT_EQ(runs[1].account.steps, 20);
  EXPECT_GT(runs[1].account.wall, runs[0].account.wall);
  EXPECT_EQ(runs[1].curves.at(0).values.size(), 1u);  // of the completed epochs
}

TEST_F(RecordOfAFit, MemoryIsAtMostThePlannedOne) {
  const RunRecord run = fit({.batch_size = 4, .verbose = 0});
  const exec::StepRef step = model.impl().fits.last.notes.step.lock();
  ASSERT_TRUE(step);
  const auto course = graph::memory_by_node(step->graph(), step->plan().memory);
  int64_t most = 0;
  for (const graph::MemoryPeak& at : course)
    most = std::max(most, at.gradients + at.activations + at.workspace);
  EXPECT_GT(most, 0);
  EXPECT_LE(most, step->plan().memory.arena_bytes);
  EXPECT_GE(run.memory.peak, most);
  int64_t parameters = 0;
  for (const Variable& weight : model.weights()) parameters += weight.type().bytes();
  EXPECT_EQ(run.memory.uses[0].name, "parameters");
  EXPECT_EQ(run.memory.uses[0].bytes[0], parameters);
}

class ProfileOfAFake : public stoker::testing::FakeGpu {};

TEST_F(ProfileOfAFake, TrainsOnWhereTheDeviceHasNone) {
  Sequential model = classifier();
  const Samples data = samples(40);
  model.fit(data.x, data.y, {.batch_size = 4, .verbose = 0, .profile = {2, 5}});
  const RunRecord run = model.record();
  EXPECT_EQ(run.account.steps, 10);
  EXPECT_NE(run.profile.note.find("cannot be profiled"), std::string::npos);
}

}  // namespace
}  // namespace stoker
