#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "faults/fault.h"

namespace stoker::faults {
namespace {

constexpr int64_t count = 4096;

// What the advice of a run asks for, the first time it says it with a number.
int64_t advised_batch(const Account& account) {
  for (const Advice& advice : account.advice)
    if (const std::string key = "fit.batch_size="; advice.apply.starts_with(key))
      return std::stoll(advice.apply.substr(key.size()));
  return 0;
}

Run fit_batches(Model& model, const Samples& data, int64_t batch) {
  return run_fit(model, [&](Model& m, int64_t epochs) {
    m.fit(data.x, data.y, {.batch_size = batch, .epochs = epochs, .verbose = 0});
  });
}

// With sizes tried, so that there is a number to compare with.
struct SmallBatch {
  std::function<Sequential()> make;
  int64_t batch, samples;
  int64_t advised = 64;  // or what the advice says

  Run faulty() {
    Sequential model = make();
    const Samples data = faults::samples(samples);
    Run run = fit_batches(model, data, batch);
    measure_headroom(model, data.x, data.y, {.batch_size = batch, .bfloat16 = false});
    run.account = model.account_data();
    if (const int64_t size = advised_batch(run.account)) advised = size;
    return run;
  }
  Run mended() const {
    Sequential model = make();
    Run run = fit_batches(model, faults::samples(std::max(samples, 4 * advised)), advised);
    run.step *= static_cast<double>(batch) / static_cast<double>(advised);
    return run;
  }
};

Fault small_batch(const char* name, std::vector<std::string> causes,
                  std::function<Sequential()> make, int64_t batch, int64_t samples) {
  const auto state = std::make_shared<SmallBatch>(SmallBatch{std::move(make), batch, samples});
  return {.name = name,
          .causes = std::move(causes),
          .faulty = [state] { return state->faulty(); },
          .mended = [state] { return state->mended(); }};
}

// Many narrow layers: no kernel has enough to do.
Sequential many_tiny_layers() {
  using namespace layers;
  set_random_seed(1);
  std::vector<Sequential::Item> stack{Input({.shape = {784}}),
                                      Dense({.units = 16, .activation = "relu"})};
  for (int i = 0; i < 40; ++i) stack.push_back(Dense({.units = 16, .activation = "tanh"}));
  stack.push_back(Dense({.units = 10, .activation = "softmax"}));
  Sequential model(stack);
  model.compile({.optimizer = "sgd", .loss = "sparse_categorical_crossentropy"});
  return model;
}

// A child of this process that keeps all cores busy, or a GPU; ended with the object.
class Competitor {
 public:
  explicit Competitor(const std::function<void()>& work) : pid_(fork()) {
    if (pid_ == 0) {
      work();
      _exit(0);
    }
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

void keep_cores_busy() {
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i)
    threads.emplace_back([] { spin(600); });
  for (auto& thread : threads) thread.join();
}

Run fit_large(const std::string& policy = "") {
  Sequential model = classifier(on_gpu ? 4096 : 512, policy);
  const Samples data = samples(count);
  return fit_batches(model, data, on_gpu ? 2048 : 128);
}

Run fit_with_busy_cores() {
  const Competitor competitor(keep_cores_busy);
  return fit_large();
}

// Another program of its own, as fork cannot share a GPU: this one, asked to keep it busy.
Run fit_with_busy_gpu() {
  const Competitor competitor(
      [] { execl("/proc/self/exe", "faults", "--keep-gpu-busy", static_cast<char*>(nullptr)); });
  std::this_thread::sleep_for(std::chrono::seconds(6));  // until it has begun
  return fit_large();
}

Run fit_large_and_probe() {
  Sequential model = classifier(4096);
  const Samples data = samples(count);
  Run run = fit_batches(model, data, 2048);
  measure_headroom(model, data.x, data.y, {.batch_size = 2048, .most = 2048});
  run.account = model.account_data();
  return run;
}

}  // namespace

std::vector<Fault> device_faults() {
  Fault busy_cores{.name = "throttled CPU",
                   .causes = {"cores_taken", "cpu_quota"},
                   .faulty = fit_with_busy_cores,
                   .mended = [] { return fit_large(); }};
  busy_cores.on_gpu = false;
  Fault precision{.name = "float32 matmul",
                  .causes = {"precision"},
                  .faulty = fit_large_and_probe,
                  .mended = [] { return fit_large("mixed_bfloat16"); }};
  Fault shared{.name = "another process on the GPU",
               .causes = {"shared"},
               .faulty = fit_with_busy_gpu,
               .mended = [] { return fit_large(); }};
  precision.on_cpu = shared.on_cpu = false;
  Fault pageable{.name = "pageable copies",
                 .faulty = [] { return Run{}; },
                 .mended = [] { return Run{}; },
                 .on_cpu = false,
                 .instead = "batches are sent from page-locked memory while the device computes"};
  return {small_batch(
              "batch 1", {"small_batch"}, [] { return classifier(256); }, 1, 512),
          small_batch("tiny kernels", {"small_batch", "launch"}, many_tiny_layers, 32, 4096),
          busy_cores,
          precision,
          shared,
          pageable};
}

}  // namespace stoker::faults
