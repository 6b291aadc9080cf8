#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "faults/fault.h"

// Faults caused by other programs and by the machine's limits.
namespace stoker::faults {
namespace {

namespace fs = std::filesystem;

// This program again, as a child that keeps a GPU busy; ended with the object.
class Competitor {
 public:
  Competitor() : pid_(fork()) {
    if (pid_ != 0) return;
    execl("/proc/self/exe", "faults", "--keep-gpu-busy", static_cast<char*>(nullptr));
    _exit(1);
  }
  ~Competitor() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Competitor(const Competitor&) = delete;
  Competitor& operator=(const Competitor&) = delete;

 private:
  pid_t pid_;
};

// A control group with a CPU quota; this process is in it while the object lives. Requires
// permission to create one, as root has in many containers.
class Quota {
 public:
  explicit Quota(double cores) {
    std::error_code error;
    fs::create_directory(folder(), error);
    constexpr int64_t period = 20'000;
    const auto quota = static_cast<int64_t>(cores * period);
    if (version_1())
      made_ = write("cpu.cfs_period_us", fmt::to_string(period)) &&
              write("cpu.cfs_quota_us", fmt::to_string(quota));
    else
      made_ = write("cpu.max", fmt::format("{} {}", quota, period));
    made_ = made_ && write("cgroup.procs", fmt::to_string(getpid()));
  }
  ~Quota() {
    std::ofstream(above() / "cgroup.procs") << getpid();
    std::error_code error;
    fs::remove(folder(), error);
  }
  Quota(const Quota&) = delete;
  Quota& operator=(const Quota&) = delete;
  bool made() const { return made_; }

 private:
  static bool version_1() { return fs::exists("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"); }
  static fs::path above() { return version_1() ? "/sys/fs/cgroup/cpu" : "/sys/fs/cgroup"; }
  static fs::path folder() { return above() / fmt::format("stoker_faults_{}", getpid()); }
  static bool write(const char* file, const std::string& text) {
    std::ofstream to(folder() / file);
    to << text << std::flush;
    return to.good();
  }
  bool made_ = false;
};

// On a GPU: input that all cores together make in time, but a few of them do not.
Run fit_in_time() {
  Sequential model = classifier(on_gpu ? 4096 : 512);
  static const Samples data = samples(on_gpu ? 8192 : 4096);
  if (!on_gpu)
    return run_fit(model, [&](Model& m, int64_t epochs) {
      m.fit(data.x, data.y, {.batch_size = 128, .epochs = epochs, .verbose = 0});
    });
  const auto work = [](const Array& x, const Array& y) {
    spin(10e-6);
    return std::pair(x, y);
  };
  const Dataset batches = Dataset::from_tensor_slices({data.x, data.y})
                              .map(work, {.num_parallel_calls = AUTOTUNE})
                              .batch(1024);
  return run_fit(
      model, [&](Model& m, int64_t epochs) { m.fit(batches, {.epochs = epochs, .verbose = 0}); });
}

Run fit_under_quota() {
  const Quota quota(std::thread::hardware_concurrency() / 8.0);
  return fit_in_time();
}

Run fit_large() {
  Sequential model = classifier(4096);
  const Samples data = samples(4096);
  return run_fit(model, [&](Model& m, int64_t epochs) {
    m.fit(data.x, data.y, {.batch_size = 2048, .epochs = epochs, .verbose = 0});
  });
}

// A separate program, as a fork cannot share a GPU.
Run fit_with_busy_gpu() {
  const Competitor competitor;
  std::this_thread::sleep_for(std::chrono::seconds(6));  // until it has begun
  return fit_large();
}

}  // namespace

std::vector<Fault> machine_faults() {
  Fault throttled{.name = "throttled CPU",
                  .causes = {"cpu_quota"},
                  .faulty = fit_under_quota,
                  .mended = fit_in_time};
  if (!Quota(1e3).made())
    throttled.instead = "cannot be planted here: no control group can be made";
  Fault shared{.name = "another process on the GPU",
               .causes = {"shared"},
               .faulty = fit_with_busy_gpu,
               .mended = fit_large,
               .on_cpu = false};
  return {throttled, shared};
}

}  // namespace stoker::faults
