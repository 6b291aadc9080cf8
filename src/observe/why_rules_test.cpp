#include "observe/why_rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "observe/explain.h"
#include "observe/figures.h"
#include "observe/proc.h"
#include "stoker/io.h"
#include "test_places.h"

namespace stoker::observe {
namespace {

namespace fs = std::filesystem;

std::string named(const Recording& recording) { return explain(recording).causes.at(0).cause; }
std::string named(const Scene& scene) { return named(recording_of(scene)); }

Scene starved() {
  return {.main_busy = 0.1, .workers = 4, .worker_busy = 0.98, .gpu_busy = 0.2, .sm_active = 0.15};
}

template <class F>
Recording changed(const Scene& scene, F change) {
  Recording recording = recording_of(scene);
  for (size_t i = 0; i < recording.samples.size(); ++i) change(recording.samples[i], double(i));
  return recording;
}

TEST(WhyRules, BusyWorkersAndIdleCoresAreTooFewWorkers) {
  EXPECT_EQ(named(starved()), "few_workers");
}

TEST(WhyRules, BusyWorkersOnAllCoresAreLimitedByTheCpu) {
  Scene scene = starved();
  scene.workers = 16;
  EXPECT_EQ(named(scene), "input_cpu");
}

TEST(WhyRules, BlockedWorkersWaitForStorage) {
  Scene scene = starved();
  scene.worker_busy = 0.1, scene.storage_wait = 0.8;
  EXPECT_EQ(named(scene), "storage");
}

TEST(WhyRules, OneBusyThreadAndAnIdleGpu) {
  EXPECT_EQ(named({.main_busy = 0.99, .gpu_busy = 0.12, .sm_active = 0.08}), "one_thread");
}

TEST(WhyRules, SmallKernelsLookBusyToNvidiaSmi) {
  EXPECT_EQ(named({.main_busy = 0.99, .gpu_busy = 0.9, .sm_active = 0.1}), "small_kernels");
}

TEST(WhyRules, ManyBytesOverThePciBusAreCopies) {
  EXPECT_EQ(named({.main_busy = 0.3, .gpu_busy = 0.3, .sm_active = 0.3, .pcie_in = 20e9}),
            "copies");
  EXPECT_EQ(named({.main_busy = 1, .gpu_busy = 0.1, .sm_active = 0.1, .pcie_in = 5e9}), "copies");
  EXPECT_EQ(named({.main_busy = 1, .gpu_busy = 0.9, .sm_active = 0.1, .pcie_in = 5e9}), "copies");
}

TEST(WhyRules, AWellFedGpuIsBusyWhateverTheHostDoes) {
  EXPECT_EQ(named({.main_busy = 1, .gpu_busy = 0.97, .sm_active = 0.9}), "busy");
  EXPECT_EQ(
      named(
          {.main_busy = 0.1, .workers = 16, .worker_busy = 1, .gpu_busy = 0.97, .sm_active = 0.9}),
      "busy");
}

TEST(WhyRules, NothingHappensAnywhere) {
  EXPECT_EQ(named({.main_busy = 0.01, .gpu_busy = 0.0, .sm_active = 0.0}), "asleep");
}

// Many workers that are busy in turn: each little, together much.
TEST(WhyRules, AProgramWhoseWorkersUseCoresIsNotAsleep) {
  const WhyAnswer answer = explain(recording_of(
      {.main_busy = 0.01, .workers = 20, .worker_busy = 0.1, .gpu_busy = 0.1, .sm_active = 0.1}));
  for (const auto& cause : answer.causes) EXPECT_NE(cause.cause, "asleep") << cause.sentence;
}

TEST(WhyRules, NothingStandsOut) {
  EXPECT_EQ(named({.main_busy = 0.5, .gpu_busy = 0.5, .sm_active = 0.45}), "unexplained");
}

TEST(WhyRules, TheQuotaOfAContainer) {
  const auto throttled = [](double seconds) {  // of all cores together, in each 0.25 s
    return changed(starved(), [seconds](Sample& sample, double i) {
      sample.host.throttled_seconds = seconds * i;
    });
  };
  EXPECT_EQ(named(throttled(0.5)), "cpu_quota");
  EXPECT_EQ(named(throttled(0.05)), "few_workers");  // four workers worked for a second meanwhile
}

TEST(WhyRules, AHotGpu) {
  const auto recording = changed({.gpu_busy = 0.9, .sm_active = 0.9}, [](Sample& sample, double) {
    sample.gpus[0].slowdowns = {"thermal"}, sample.gpus[0].sm_clock = 990;
  });
  const WhyAnswer answer = explain(recording);
  EXPECT_EQ(answer.causes[0].cause, "gpu_throttled");
  EXPECT_DOUBLE_EQ(answer.causes[0].at_most.value(), 2);
}

TEST(WhyRules, APowerLimitThatCostsLittleIsNotThrottling) {
  const auto limited = [](double clock) {
    return changed({.gpu_busy = 0.98, .sm_active = 0.9}, [clock](Sample& sample, double) {
      sample.gpus[0].slowdowns = {"power limit"}, sample.gpus[0].sm_clock = clock;
    });
  };
  EXPECT_EQ(named(limited(1800)), "busy");
  EXPECT_EQ(named(limited(1000)), "gpu_throttled");
}

TEST(WhyRules, AnotherProcessOnTheGpu) {
  const auto shared = [](double share) {
    return changed({.gpu_busy = 0.95, .sm_active = 0.9}, [share](Sample& sample, double) {
      sample.gpus[0].processes[0].sm_share = 0.95 - share;
      sample.gpus[0].processes.push_back({.pid = 99, .name = "other", .sm_share = share});
    });
  };
  EXPECT_EQ(named(shared(0.5)), "shared");
  EXPECT_NEAR(explain(shared(0.475)).causes[0].at_most.value(), 2, 1e-6);
  EXPECT_EQ(named(shared(0.01)), "busy");  // it is there, and does nothing
}

TEST(WhyRules, InAContainerOthersAreFoundByTheirOpenFiles) {
  const auto recording = changed({.gpu_busy = 0.95, .sm_active = 0.9}, [](Sample& sample, double) {
    sample.gpus[0].processes.clear();  // NVML lists no process
    sample.others = {{.pid = 99, .name = "other"}};
  });
  EXPECT_EQ(named(recording), "shared");
  EXPECT_EQ(roles_of(recording).gpu, 0);
  const auto elsewhere = changed({.gpu_busy = 0.95, .sm_active = 0.9}, [](Sample& sample, double) {
    sample.gpus[0].processes.clear();
    sample.others = {{.pid = 99, .name = "other", .gpu_files = {3}}};
  });
  EXPECT_EQ(named(elsewhere), "busy");
}

TEST(WhyRules, WhereNvmlListsTheProgramOpenFilesOfOthersDoNotCount) {
  const auto recording = changed({.gpu_busy = 0.95, .sm_active = 0.9}, [](Sample& sample, double) {
    sample.gpus[0].processes[0].sm_share.reset();
    sample.others = {{.pid = 99, .name = "other", .gpu_files = {0, 1}}};
  });
  EXPECT_EQ(named(recording), "busy");
}

TEST(WhyRules, InAContainerOnlyThoseThatComputeCount) {
  const auto recording = [](double share) {
    return changed({.gpu_busy = 0.95, .sm_active = 0.9}, [share](Sample& sample, double) {
      sample.gpus[0].processes = {{.pid = 901, .sm_share = 0.9}, {.pid = 902, .sm_share = share}};
    });
  };
  EXPECT_EQ(named(recording(0.4)), "shared");
  EXPECT_EQ(named(recording(0)), "busy");
}

TEST(WhyRules, MemoryThatGrows) {
  const auto growing = [](double bytes) {
    return changed({.gpu_busy = 0.97, .sm_active = 0.9, .gpu_memory = 0.8},
                   [bytes](Sample& sample, double i) { sample.gpus[0].memory_used += bytes * i; });
  };
  EXPECT_EQ(named(growing(1e8)), "gpu_memory_soon");
  EXPECT_EQ(named(growing(0)), "busy");
  const auto host = changed({.gpu_busy = 0.97, .sm_active = 0.9}, [](Sample& sample, double i) {
    sample.host.memory_limit = 16e9, sample.host.memory_used = 10e9 + 1e8 * i;
  });
  EXPECT_EQ(named(host), "memory_soon");
}

TEST(WhyRules, MemoryThatGrowsSlowlyIsSaidLast) {
  const WhyAnswer answer =
      explain(changed({.gpu_busy = 0.97, .sm_active = 0.9, .gpu_memory = 0.8},
                      [](Sample& sample, double i) { sample.gpus[0].memory_used += 2e7 * i; }));
  EXPECT_EQ(answer.causes.front().cause, "busy");
  EXPECT_EQ(answer.causes.back().cause, "gpu_memory_later");
}

TEST(WhyRules, BytesThatArriveWhileNothingComputes) {
  const auto arriving = [](double rate) {
    return changed(
        {.main_busy = 0.1, .gpu_busy = 0.1, .sm_active = 0.1},
        [rate](Sample& sample, double) { sample.host.network_bytes = rate * sample.time; });
  };
  EXPECT_EQ(named(arriving(5e6)), "network");
  EXPECT_EQ(named(arriving(1e5)), "asleep");
}

TEST(WhyRules, OneJumpOfMemoryIsNoLeak) {
  const auto recording =
      changed({.gpu_busy = 0.97, .sm_active = 0.9, .gpu_memory = 0.6},
              [](Sample& sample, double i) { sample.gpus[0].memory_used += i > 10 ? 40e9 : 0; });
  EXPECT_EQ(named(recording), "busy");
}

TEST(WhyRules, AGpuThatTheProgramDoesNotUse) {
  const auto recording = changed({.main_busy = 1}, [](Sample& sample, double) {
    sample.gpus[0].processes.clear(), sample.processes[0].gpu_files.clear();
  });
  EXPECT_EQ(named(recording), "no_gpu_used");
  const auto hidden = changed({.main_busy = 1}, [](Sample& sample, double) {
    sample.gpus[0].processes.clear(), sample.processes[0].gpu_files.clear();
    sample.processes[0].files_hidden = 1;  // another user's: it may use the GPU
  });
  EXPECT_EQ(named(hidden), "one_thread");
}

TEST(WhyRules, OthersTakeTheCores) {
  Scene scene = {.main_busy = 0.4, .cores = 2, .gpu_busy = 0.2, .sm_active = 0.15};
  const auto recording = changed(scene, [](Sample& sample, double i) {
    sample.processes[0].threads[0].wait_seconds = 0.15 * i;
    sample.host.idle_seconds = 0;
  });
  EXPECT_EQ(named(recording), "cores_taken");
}

TEST(WhyRules, WithoutAGpuItSaysWhatHappensOnTheCpu) {
  const auto on_cpu = [](const Scene& scene) {
    auto recording = changed(scene, [](Sample& sample, double) { sample.gpus.clear(); });
    recording.no_gpu = "NVML is missing";
    return recording;
  };
  const WhyAnswer answer = explain(on_cpu({.main_busy = 0.99}));
  EXPECT_EQ(answer.causes[0].cause, "one_thread");
  EXPECT_TRUE(answer.subject.starts_with("No GPU is watched (NVML is missing)")) << answer.subject;
  EXPECT_EQ(answer.causes[0].sentence.find("unknown"), std::string::npos);
  EXPECT_EQ(named(on_cpu(starved())), "few_workers");
  EXPECT_EQ(named(on_cpu({.main_busy = 0.01})), "asleep");
  EXPECT_EQ(named(on_cpu({.main_busy = 0.9, .cores = 1})), "cpu_busy");
}

TEST(WhyRules, BoundsAreThoseOfTheIdleGpuAndTheIdleCores) {
  Scene scene = starved();  // 4 workers and 10 % of a core on 16 cores, GPU 20 % busy
  EXPECT_NEAR(explain(recording_of(scene)).causes[0].at_most.value(), 16 / 4.02, 0.05);
  scene.gpu_busy = 0.5, scene.sm_active = 0.4;
  EXPECT_NEAR(explain(recording_of(scene)).causes[0].at_most.value(), 2, 1e-6);
}

TEST(WhyRules, TheStartOfAProgramDoesNotCount) {
  auto recording = recording_of({.main_busy = 0.2, .gpu_busy = 0.95, .sm_active = 0.9});
  for (size_t i = 0; i < 15; ++i) {
    recording.samples[i].gpus[0].busy = 0;
    recording.samples[i].gpus[0].processes.clear();
    recording.samples[i].processes[0].gpu_files.clear();
  }
  EXPECT_EQ(named(recording), "busy");
}

TEST(WhyRules, EveryFigureOfARuleIsMeasuredSomewhere) {
  std::set<std::string> known;
  const ledger::Figures figures = figures_of(changed(starved(), [](Sample& sample, double i) {
    sample.host.throttled_seconds = 0, sample.host.network_bytes = 0;
    sample.host.memory_limit = 16e9, sample.host.memory_used = 1e9 + 1e8 * i;
    sample.gpus[0].memory_used += 1e9 * i;
  }));
  for (const auto& figure : figures.all()) known.insert(figure.name);
  for (const auto& rule : why_rules()) {
    for (const auto& condition : rule.when)
      EXPECT_TRUE(known.contains(std::string(condition.figure))) << condition.figure;
    for (const auto name : rule.show) EXPECT_TRUE(known.contains(std::string(name))) << name;
  }
}

TEST(WhyRules, TheDocumentHasTheTable) {
  const std::string page = read_text(std::string(STOKER_SOURCE_DIR) + "/docs/why.md");
  const std::string table = ledger::to_markdown(why_rules());
  EXPECT_NE(page.find(table), page.npos) << "put this into docs/why.md:\n" << table;
  const ledger::Figures figures = figures_of(recording_of(starved()));
  for (const auto& figure : figures.all())
    EXPECT_NE(page.find("`" + figure.name + "`"), page.npos) << figure.name;
}

TEST(Recordings, TheCauseThatTheyExpectIsNamedFirst) {
  int count = 0;
  for (const auto& file : fs::directory_iterator(STOKER_SOURCE_DIR "/tests/recordings")) {
    if (file.path().extension() != ".json") continue;
    const Recording recording = load_recording(file.path());
    EXPECT_EQ(named(recording), recording.expect) << file.path() << "\n"
                                                  << explain(recording).to_string();
    ++count;
  }
  EXPECT_GE(count, 3);
}

TEST(Recordings, GoThroughJsonUnchanged) {
  const Recording recording = recording_of(starved());
  const Config config = to_config(recording);
  EXPECT_EQ(to_config(to_recording(parse_json(config.to_string()), "test")), config);
}

TEST(Recordings, BadOnesAreRefused) {
  const auto refused = [](const std::string& text, const std::string& says) {
    try {
      to_recording(parse_json(text), "x.json");
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
    }
  };
  refused(R"({"version": 7, "samples": []})", "version 7, and this program reads version 1");
  refused(R"({"samples": []})", "is not a recording");
  refused(R"([1])", "is not a recording");
  refused(R"({"version": 1, "samples": [{"time": "x"}]})", "\"time\"");
  refused(R"({"version": 1, "samples": [3]})", "\"samples\"");
}

TEST(Recordings, AProcessThatEndedAtOnceIsSaidSo) {
  Recording recording = recording_of(starved());
  recording.samples.resize(1);
  EXPECT_THROW(explain(recording), Error);
}

}  // namespace
}  // namespace stoker::observe
