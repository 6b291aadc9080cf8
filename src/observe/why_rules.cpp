#include "observe/why_rules.h"

#include <algorithm>

namespace stoker::observe {
namespace {

using ledger::Condition;
using ledger::Figures;
using ledger::Rule;
using enum Condition::Test;
using Gain = std::optional<double>;

// Thresholds between "idle" and "busy".
constexpr double fed = 0.8, asleep = 0.2, busy_thread = 0.8, not_limiting = 0.7, spare_cores = 0.25;

Gain idle_gpu(const Figures& f) {
  const auto busy = f.find("gpu_busy");
  return busy && *busy > 0.01 ? Gain(1 / *busy) : std::nullopt;
}
Gain more_workers(const Figures& f) {
  const auto cores = f.find("cores"), used = f.find("cores_used");
  if (!cores || !used || *used <= 0) return idle_gpu(f);
  const double by_cores = std::max(1.0, *cores / *used);
  const Gain by_gpu = idle_gpu(f);
  return by_gpu ? std::min(*by_gpu, by_cores) : by_cores;
}
Gain all_cores(const Figures& f) {
  if (const Gain by_gpu = idle_gpu(f)) return by_gpu;
  return more_workers(f);
}
Gain full_clock(const Figures& f) {
  const auto clock = f.find("gpu_clock");
  return clock && *clock > 0.01 ? Gain(1 / *clock) : std::nullopt;
}
Gain alone(const Figures& f) {
  const auto own = f.find("gpu_own_share"), others = f.find("gpu_others_share"),
             count = f.find("gpu_others");
  if (own && others && *own > 0.01) return (*own + *others) / *own;
  return count ? Gain(1 + *count) : std::nullopt;
}
Gain filled(const Figures& f) {
  const auto fill = f.find("sm_fill"), busy = f.find("gpu_busy");
  return fill && busy && *fill * *busy > 0.001 ? Gain(1 / (*fill * *busy)) : std::nullopt;
}

constexpr Condition hungry = {"gpu_busy", below, fed},
                    hungry_or_none = {"gpu_busy", below, fed, true},
                    main_waits = {"main_busy", below, not_limiting};

const char* const raise_limit_text = "1 / gpu_busy";
const char* const workers_text = "the smaller of 1 / gpu_busy and cores / cores_used";

std::vector<Rule> urgent() {
  const char* const own_gpu =
      "Give the program a GPU of its own (CUDA_VISIBLE_DEVICES), or end the others; stoker top "
      "lists them.";
  return {
      {.cause = "gpu_memory_soon",
       .sentence = "The GPU's memory grows steadily and will be full in {gpu_memory_full_in}.",
       .remedy = "Save now; look for tensors that are kept from step to step (a list of losses "
                 "with their graphs: keep loss.item() or float(loss)), or reduce the batch.",
       .when = {{"gpu_memory_full_in", below, 120}, {"gpu_memory", at_least, 0.5}},
       .show = {"gpu_memory"}},
      {.cause = "memory_soon",
       .sentence = "The main memory grows steadily and will be full in {memory_full_in}; then "
                   "the kernel kills the process.",
       .remedy = "Save now; look for lists that grow with every step, caches without a limit, and "
                 "too much prefetching.",
       .when = {{"memory_full_in", below, 120}, {"memory_used", at_least, 0.5}}},
      {.cause = "no_gpu_used",
       .sentence =
           "The program uses no GPU, though the machine has {gpus_here}: it computes on the CPU.",
       .remedy = "stoker doctor says whether TensorFlow, PyTorch and JAX see the GPU, and if not "
                 "why; in PyTorch the model and the batches must be moved: model.to(\"cuda\").",
       .when = {{"gpus_here", at_least, 1}, {"gpus_used", below, 1}},
       .show = {"cores_used", "main_busy"}},
      {.cause = "cpu_quota",
       .sentence = "The container's CPU quota of {cores} cores stops the program {cpu_throttled} "
                   "of the time.",
       .remedy = "Raise the quota (docker run --cpus, Kubernetes limits.cpu, systemd CPUQuota), or "
                 "start no more workers than it has cores.",
       .when = {{"cpu_throttled", at_least, 0.1}, hungry_or_none},
       .show = {"cores", "cores_used"},
       .bound = idle_gpu,
       .bound_text = raise_limit_text},
      {.cause = "gpu_throttled",
       .sentence = "The GPU lowers its clock to {gpu_clock} of the most it can, {gpu_throttled} of "
                   "the time, for heat or power.",
       .remedy = "Look at the cooling and the power limit: nvidia-smi -q -d PERFORMANCE,POWER; "
                 "nvidia-smi -pl WATTS (as root) raises a limit that was lowered.",
       .when = {{"gpu_throttled", at_least, 0.3}, {"gpu_busy", at_least, 0.4}},
       .show = {"gpu_clock", "gpu_temperature"},
       .bound = full_clock,
       .bound_text = "1 / gpu_clock"},
      {.cause = "shared",
       .sentence = "The GPU is shared: {gpu_others} other process(es) compute on it and take "
                   "{gpu_others_share} of its time.",
       .remedy = own_gpu,
       .when = {{"gpu_others", at_least, 1},
                {"gpu_others_share", at_least, 0.1},
                {"gpu_busy", at_least, 0.3}},
       .show = {"gpu_own_share"},
       .bound = alone,
       .bound_text = "(gpu_own_share + gpu_others_share) / gpu_own_share"},
      {.cause = "shared",
       .sentence = "The GPU is shared: {gpu_others} other process(es) have it open to compute.",
       .remedy = own_gpu,
       .when = {{"gpu_others", at_least, 1},
                {"gpu_others_share", absent},
                {"gpu_busy", at_least, 0.3}},
       .bound = alone,
       .bound_text = "1 + gpu_others"},
  };
}

std::vector<Rule> input() {
  return {
      {.cause = "storage",
       .sentence = "The input waits for storage: what reads it is blocked {storage_wait} of the "
                   "time, at {storage_rate}.",
       .remedy = "Pack many small files into few large ones (TFRecord, tar, stoker pack), read "
                 "with more workers, cache in memory (Dataset.cache), or copy the data to a local "
                 "disk first.",
       .when = {{"storage_wait", at_least, 0.25}, main_waits, hungry_or_none},
       .show = {"storage_rate", "major_faults", "worker_busy"},
       .bound = idle_gpu,
       .bound_text = raise_limit_text},
      {.cause = "cores_taken",
       .sentence = "Other programs take the cores: threads of this one are ready to run but wait "
                   "for a core {core_wait} of the time.",
       .remedy = "Run it on a machine of its own, or reserve cores for it (taskset, srun "
                 "--cpus-per-task).",
       .when = {{"core_wait", at_least, 0.3},
                {"cores_used_share", below, not_limiting},
                {"cores_idle", below, 0.5},
                hungry_or_none},
       .show = {"cores", "cores_used"},
       .bound = idle_gpu,
       .bound_text = raise_limit_text},
      {.cause = "input_cpu",
       .sentence =
           "The input is limited by the CPU: {workers_busy} of {workers} workers are busy all "
           "the time and {cores_used} of {cores} cores are taken, while the GPU works {gpu_busy} "
           "of the time.",
       .remedy = "Make a sample cheaper (decode smaller images, vectorised transforms), do it once "
                 "and keep the result (cache), or move augmentation to the GPU; more workers do "
                 "not help.",
       .when = {{"workers_busy", at_least, 1},
                {"worker_busy", at_least, 0.6},
                {"cores_idle_share", below, spare_cores},
                main_waits,
                hungry},
       .show = {"workers", "cores", "cores_used"},
       .bound = idle_gpu,
       .bound_text = raise_limit_text},
      {.cause = "few_workers",
       .sentence = "The input has too few workers: {workers_busy} of {workers} are busy all the "
                   "time while {cores_idle} cores are idle and the main thread waits.",
       .remedy = "More workers: DataLoader(num_workers={cores}), Dataset.map(num_parallel_calls="
                 "AUTOTUNE) and prefetch.",
       .when = {{"workers_busy", at_least, 1},
                {"worker_busy", at_least, 0.6},
                {"cores_idle_share", at_least, spare_cores},
                main_waits,
                hungry_or_none},
       .show = {"cores", "cores_used"},
       .bound = more_workers,
       .bound_text = workers_text},
      {.cause = "network",
       .sentence = "The program waits for the network: {network_rate} arrive and the CPU and the "
                   "GPU have little to do.",
       .remedy = "Read with more workers and prefetch more (requests overlap), read larger pieces, "
                 "or keep a copy on a local disk.",
       .when = {{"network_rate", at_least, 2e6},
                {"main_busy", below, 0.4},
                {"worker_busy", below, 0.4, true},
                {"gpu_busy", below, 0.5, true}},
       .bound = idle_gpu,
       .bound_text = raise_limit_text},
  };
}

std::vector<Rule> host_and_device() {
  const char* const copies =
      "Copies between host and GPU hold it up: {pcie_in} go in and {pcie_out} come out.";
  const char* const pin =
      "Copy from pinned memory while the GPU computes: DataLoader(pin_memory=True) and "
      ".to(device, non_blocking=True), prefetch to the device; copy bytes (uint8) and convert "
      "on the GPU; keep on the GPU what is used again.";
  return {
      {.cause = "copies",
       .sentence = copies,
       .remedy = pin,
       .when = {{"pcie_share", at_least, 0.25}, hungry},
       .show = {"pcie_in", "pcie_out", "main_busy"},
       .bound = idle_gpu,
       .bound_text = raise_limit_text},
      {.cause = "copies",  // nvidia-smi may count copies as work; the multiprocessors do not
       .sentence = copies,
       .remedy = pin,
       .when = {{"pcie_rate", at_least, 2e9},
                {"main_busy", at_least, not_limiting},
                {"sm_active", below, 0.3}},
       .show = {"pcie_in", "pcie_out", "pcie_share"},
       .bound = idle_gpu,
       .bound_text = raise_limit_text},
      {.cause = "copies",  // pageable memory: the main thread copies into the driver's buffer
       .sentence = copies,
       .remedy = pin,
       .when = {{"pcie_rate", at_least, 2e9},
                {"main_busy", at_least, not_limiting},
                {"gpu_busy", below, 0.6}},
       .show = {"pcie_in", "pcie_out", "pcie_share"},
       .bound = idle_gpu,
       .bound_text = raise_limit_text},
      {.cause = "small_kernels",
       .sentence = "The kernels are too small for the GPU: one runs {gpu_busy} of the time, but "
                   "only {sm_fill} of the multiprocessors work then.",
       .remedy =
           "A larger batch; then fewer and larger kernels (torch.compile, jax.jit, tf.function "
           "with jit_compile) and CUDA graphs.",
       .when = {{"gpu_busy", at_least, 0.3}, {"sm_fill", below, 0.4}},
       .show = {"sm_active", "tensor_active", "main_busy"},
       .bound = filled,
       .bound_text = "1 / (gpu_busy · sm_fill)"},
      {.cause = "one_thread",
       .sentence = "One thread is the limit: it is busy {main_busy} of the time, and the GPU works "
                   "{gpu_busy} of it.",
       .remedy = "Prepare input elsewhere (DataLoader(num_workers=8), prefetch). If there is none "
                 "to prepare, give the GPU more at a time: a larger batch, torch.compile or CUDA "
                 "graphs, jax.jit around the whole step with lax.scan over steps, "
                 "tf.function(jit_compile=True); read .item() or float(loss) every 100 steps.",
       .when = {{"main_busy", at_least, busy_thread}, hungry},
       .show = {"cores", "cores_used", "sm_active", "workers"},
       .bound = idle_gpu,
       .bound_text = raise_limit_text},
      {.cause = "one_thread",
       .sentence = "One thread does the work: it is busy {main_busy} of the time, and {cores_idle} "
                   "of {cores} cores are idle.",
       .remedy = "Share the work among processes (multiprocessing, DataLoader(num_workers=8)) or "
                 "put it into calls that use all cores (numpy, torch, tf.data).",
       .when = {{"main_busy", at_least, busy_thread},
                {"gpu_busy", absent},
                {"cores_used_share", below, fed}},
       .show = {"cores", "cores_used", "cores_idle"},
       .bound = all_cores,
       .bound_text = "cores / cores_used"},
  };
}

std::vector<Rule> rest() {
  return {
      {.cause = "busy",
       .sentence = "The GPU is busy: a kernel runs {gpu_busy} of the time.",
       .remedy = "It is well fed. What is left is the work itself: mixed precision (bfloat16) if "
                 "the tensor cores are idle, fused kernels (torch.compile, XLA), a faster GPU.",
       .when = {{"gpu_busy", at_least, fed}},
       .show = {"sm_active", "tensor_active", "dram_active", "gpu_clock"},
       .bound = idle_gpu,
       .bound_text = "1 / gpu_busy, for everything but the kernels"},
      {.cause = "cpu_busy",
       .sentence = "No core is idle: the program uses {cores_used} of {cores}.",
       .remedy = "It uses what it gets; a GPU, more cores or less work make it faster.",
       .when = {{"gpu_busy", absent}, {"cores_idle", below, 0.5}, {"cores_used", at_least, 0.3}},
       .show = {"cores", "main_busy", "workers", "core_wait"}},
      {.cause = "asleep",
       .sentence = "The program waits for something outside: the main thread runs {main_busy} of "
                   "the time, nothing comes from storage, and nothing computes.",
       .remedy =
           "Look where it waits (a Python program: py-spy dump --pid PID); usually for a lock, a "
           "queue that nobody fills, another rank, a server, or in sleep.",
       .when = {{"main_busy", below, asleep},
                {"cores_used", below, 0.5, true},
                {"worker_busy", below, asleep, true},
                {"gpu_busy", below, asleep, true},
                {"storage_wait", below, 0.25}},
       .show = {"cores_used", "network_rate"}},
      {.cause = "gpu_memory_later",
       .sentence = "The GPU's memory grows steadily and will be full in {gpu_memory_full_in} at "
                   "this rate.",
       .remedy = "Look for tensors that are kept from step to step.",
       .when = {{"gpu_memory_full_in", below, 1800}, {"gpu_memory", at_least, 0.5}}},
      {.cause = "unexplained",
       .sentence =
           "No single cause stands out: the main thread is busy {main_busy} of the time, and "
           "{cores_used} of {cores} cores are used.",
       .remedy = "Watch it longer (--seconds 60).",
       .when = {{"gpu_busy", absent}},
       .show = {"main_busy", "workers", "worker_busy", "cores_used", "storage_wait"}},
      {.cause = "unexplained",
       .sentence = "No single cause stands out: the GPU works {gpu_busy} of the time, the main "
                   "thread {main_busy}.",
       .remedy = "Watch it longer (--seconds 60), or start it by stoker why -- COMMAND.",
       .show = {"gpu_busy", "main_busy", "workers", "worker_busy", "cores_used", "storage_wait"},
       .bound = idle_gpu,
       .bound_text = raise_limit_text},
  };
}

}  // namespace

const std::vector<Rule>& why_rules() {
  static const std::vector<Rule> all = [] {
    std::vector<Rule> rules;
    for (auto part : {urgent, input, host_and_device, rest})
      for (Rule& rule : part()) rules.push_back(std::move(rule));
    return rules;
  }();
  return all;
}

}  // namespace stoker::observe
