#include "ledger/run_rules.h"

#include "ledger/run_predictions.h"

namespace stoker::ledger {
namespace {

using enum Condition::Test;

// Shares of a step. XProf calls 5 % of waiting for input moderate.
constexpr double worth_saying = 0.05, much = 0.3;
constexpr double several = 4;  // programs that a loop runs in a step

std::vector<Rule> rank_rules() {
  return {
      {.cause = "imbalance",
       .sentence = "The ranks wait {ranks_wait} of the time for rank {late_rank}, which comes last "
                   "to most sums.",
       .remedy = "See what else runs on that rank's machine (stoker top), and give every rank as "
                 "many cores and its data from as near.",
       .when = {{"ranks_wait", at_least, worth_saying}},
       .show = {"imbalance_seconds", "step"},
       .predict = no_late_rank,
       .predict_text = "T · (1 − waiting for that rank)"},
      {.cause = "communication",
       .sentence = "Sums over all ranks take {communication} of the time.",
       .remedy = "A larger batch_size, which needs fewer of them for as many samples, or fewer "
                 "processes: stoker plan --processes tells what a network gains.",
       .when = {{"communication", at_least, worth_saying}},
       .show = {"communication_seconds", "step"},
       .predict = [](const Figures& f) { return without(f, "communication_seconds"); },
       .predict_text = "T − communication",
       .place = "{batch_place}"}};
}

constexpr Condition waits_for_input = {"input", at_least, worth_saying};
constexpr Condition made_ahead = {"prefetched", at_least, 1, true};
// What a stage takes is not known of a program that is stopped most of the time.
constexpr Condition not_stopped = {"cpu_throttled", below, 0.3, true};
constexpr Condition cache_helps = {"cached_gain", at_least, 1 + worth_saying, true};

std::vector<Rule> input_rules() {
  return {
      {.cause = "no_prefetch",
       .sentence = "The loop makes each batch between two steps, and the device waits for it "
                   "{input} of the time: {input_seconds} a step.",
       .remedy = "Put prefetch(AUTOTUNE) behind the last stage: batches are then made while the "
                 "device works.",
       .when = {waits_for_input, {"prefetched", below, 1}},
       .show = {"input_seconds", "step"},
       .predict = overlapped,
       .predict_text = "max(T − input, input)",
       .place = "{last_stage_place}"},
      {.cause = "storage",
       .sentence =
           "Reading is the limit: {stage} takes {stage_seconds} for a batch, and the device "
           "waits for input {input} of the time.",
       .remedy = "Keep the data in memory (cache) or on a local disk, pack many small files into "
                 "few large ones (stoker pack), or read several files at a time (interleave).",
       .when =
           {waits_for_input, made_ahead, cache_helps, not_stopped, {"stage_source", at_least, 1}},
       .show = {"stage_seconds", "step", "threads"},
       .predict = no_input,
       .predict_text = "a trial with batches in memory, else T − input",
       .place = "{stage_place}"},
      {.cause = "serial_stage",
       .sentence = "The input has one stage that works in {stage_calls} thread(s): {stage} takes "
                   "{stage_seconds} for a batch, and the device waits for input {input} of the "
                   "time.",
       .remedy =
           "num_parallel_calls = AUTOTUNE (there are {threads} threads), or a cache behind it.",
       .when = {waits_for_input,
                made_ahead,
                cache_helps,
                not_stopped,
                {"stage_source", below, 1},
                {"stage_calls", below, 2},
                {"threads", at_least, 2}},
       .show = {"stage_seconds", "step", "all_threads"},
       .predict = all_threads,
       .predict_text = "max(likewise, work of all stages / threads)",
       .place = "{stage_place}"},
      {.cause = "slow_stage",
       .sentence =
           "The input is limited by the CPU: {stage} takes {stage_seconds} of a thread for a "
           "batch, on {stage_calls} threads, and the device waits for input {input} of the "
           "time.",
       .remedy =
           "Put cache() behind it, make its function cheaper, or move it into the model; more "
           "cores help as well.",
       .when = {waits_for_input,
                made_ahead,
                cache_helps,
                not_stopped,
                {"stage_source", below, 1},
                {"stage_calls", at_least, 2}},
       .show = {"stage_seconds", "step", "threads"},
       .predict = no_input,
       .predict_text = "with a cache: likewise",
       .place = "{stage_place}"},
      {.cause = "slow_stage",
       .sentence =
           "The input is limited by the CPU: {stage} takes {stage_seconds} of a thread for a "
           "batch, on the one core there is, and the device waits for input {input} of the "
           "time.",
       .remedy =
           "Put cache() behind it, make its function cheaper, or move it into the model; more "
           "cores help as well.",
       .when = {waits_for_input,
                made_ahead,
                cache_helps,
                not_stopped,
                {"stage_source", below, 1},
                {"threads", below, 2}},
       .show = {"stage_seconds", "step", "threads"},
       .predict = no_input,
       .predict_text = "with a cache: likewise",
       .place = "{stage_place}"},
      {.cause = "input",
       .sentence = "The device waits for input {input} of the time.",
       .remedy = "Give fit arrays that fit into memory, or a Dataset, which is prefetched.",
       .when = {waits_for_input, made_ahead, cache_helps, not_stopped, {"stage_calls", absent}},
       .show = {"step"},
       .predict = no_input,
       .predict_text = "a trial with batches in memory, else T − input",
       .place = "{fit_place}"}};
}

std::vector<Rule> loop_rules() {
  return {
      {.cause = "recompile",
       .sentence = "A step is compiled anew again and again: {late_compiles} of the steps had a "
                   "shape of their own, which takes {compile} of the time.",
       .remedy = "Give all batches one shape: padded_batch with fixed padded_shapes, or "
                 "drop_remainder; in a loop of your own, pad the arrays.",
       .when = {{"compile", at_least, worth_saying}, {"late_compiles", at_least, 0.02}},
       .show = {"compile_seconds", "step"},
       .predict = no_compile,
       .predict_text = "a trial of the step + what else it waits for, else T − compile",
       .place = "{fit_place}"},
      {.cause = "host_op",
       .sentence = "A function on the host runs inside the step and takes {host_op} of the time; "
                   "the device has nothing to do meanwhile.",
       .remedy = "Express it in ops (stoker/ops), or move it to the input pipeline (map).",
       .when = {{"host_op", at_least, worth_saying}},
       .show = {"host_op_seconds", "step"},
       .predict = no_host_op,
       .predict_text = "a trial without the function + what else it waits for, else T − host op",
       .place = "{host_function_place}"},
      {.cause = "checkpoint",
       .sentence = "Checkpoints take {checkpoint} of the time: {checkpoints} in {steps} steps.",
       .remedy = "Save less often: save_freq = \"epoch\", or every few hundred batches.",
       .when = {{"checkpoint", at_least, worth_saying}, {"checkpoints", at_least, 2}},
       .show = {"checkpoint_seconds", "step"},
       .predict = no_checkpoint,
       .predict_text = "a trial of the step + what else it waits for, else T − checkpoint; where "
                       "that is between "
                       "steps, − callbacks − metrics − launch",
       .place = "{checkpoint_place}"},
      {.cause = "metrics",
       .sentence = "{callback} reads the metrics between steps, {hooks} times a step: that takes "
                   "{metrics} of the time, and the callbacks {callbacks}.",
       .remedy = "Look at the metrics every 100 batches (batch_interval), or once an epoch "
                 "(on_epoch_end).",
       .when = {{"metrics", at_least, worth_saying}, {"hooks", at_least, each_step}},
       .show = {"metrics_seconds", "callbacks_seconds", "step"},
       .predict = no_hooks,
       .predict_text = "a trial of the step + what else it waits for, else T − callbacks − metrics "
                       "− launch",
       .place = "{callback_place}"},
      {.cause = "callback",
       .sentence = "{callback} is called between steps, {hooks} times a step: callbacks take "
                   "{callbacks} of the time, and reading the metrics for them {metrics}.",
       .remedy = "Do it every 100 batches (batch_interval), or once an epoch (on_epoch_end).",
       .when = {{"callbacks", at_least, worth_saying}, {"hooks", at_least, each_step}},
       .show = {"metrics_seconds", "callbacks_seconds", "step"},
       .predict = no_hooks,
       .predict_text = "a trial of the step + what else it waits for, else T − callbacks − metrics "
                       "− launch",
       .place = "{callback_place}"},
      {.cause = "read_each_step",
       .sentence = "The loop reads tensors between its steps, which takes {metrics} of the time.",
       .remedy = "Read the loss every 100 steps: each time the device runs dry.",
       .when = {{"metrics", at_least, worth_saying}, {"hooks", below, each_step}},
       .show = {"metrics_seconds", "step"},
       .predict = [](const Figures& f) { return without(f, "metrics_seconds"); },
       .predict_text = "T − metrics",
       .place = "{fit_place}"},
      {.cause = "op_by_op",
       .sentence = "The loop runs its step op by op, {runs} programs a step: what the program does "
                   "between them takes {outside} of the time.",
       .remedy = "Put the step into a compiled function (stoker::function), which is one program "
                 "with fewer and larger kernels.",
       .when = {{"outside", at_least, worth_saying}, {"runs", at_least, several}},
       .show = {"outside_seconds", "step"},
       .predict = [](const Figures& f) { return without(f, "outside_seconds"); },
       .predict_text = "T − outside, or less",
       .place = "{fit_place}"},
      {.cause = "outside",
       .sentence = "The program itself takes {outside} of the loop's time, outside of steps, input "
                   "and metrics.",
       .remedy = "Move what it does out of the loop or into another thread, or into a compiled "
                 "function (stoker::function).",
       .when = {{"outside", at_least, worth_saying}, {"runs", below, several, true}},
       .show = {"outside_seconds", "step"},
       .predict = [](const Figures& f) { return without(f, "outside_seconds"); },
       .predict_text = "T − outside",
       .place = "{fit_place}"}};
}

std::vector<Rule> device_rules() {
  return {
      {.cause = "shared",
       .sentence = "The GPU is shared: {gpu_others} other process(es) compute on it and take "
                   "{gpu_others_share} of its time.",
       .remedy = "Give this run a GPU of its own (CUDA_VISIBLE_DEVICES), or end the others; stoker "
                 "top lists them.",
       .when = {{"gpu_others", at_least, 1}, {"gpu_others_share", at_least, 0.1}},
       .show = {"step"},
       .predict = own_gpu,
       .predict_text = "T · (1 − share of the others)",
       .observed = false},
      {.cause = "cpu_quota",
       .sentence = "The container's CPU quota stops the program {cpu_throttled} of the time.",
       .remedy = "Raise the quota (docker run --cpus, Kubernetes limits.cpu, systemd CPUQuota).",
       .when = {{"cpu_throttled", at_least, 0.1}},
       .show = {"cores", "cores_used", "step"},
       .predict = no_quota,
       .predict_text = "T · (1 − throttled)",
       .observed = false},
      {.cause = "cores_taken",
       .sentence = "Other programs take the cores: this one is ready to run but waits for a core "
                   "{core_wait} of the time.",
       .remedy = "Run it on a machine of its own, or reserve cores for it (taskset, srun "
                 "--cpus-per-task).",
       .when = {{"core_wait", at_least, 0.15},
                {"cores_used_share", below, 0.7, true},
                {"cpu_throttled", below, 0.1, true}},
       .show = {"cores", "cores_used", "step"},
       .predict = own_cores,
       .predict_text = "T · (1 − waiting for a core)",
       .observed = false},
      {.cause = "precision",
       .sentence = "{matmul} of the work are float32 matrix products, which bfloat16 computes "
                   "faster: {bfloat16_seconds} a step instead of {step}.",
       .remedy = "Mixed precision: set_dtype_policy(\"mixed_bfloat16\").",
       .when = {{"working", at_least, 0.5},
                {"matmul", at_least, 0.3},
                {"bfloat16_seconds", at_least, 0}},
       .show = {"step"},
       .predict = with_bfloat16,
       .predict_text = "as measured in a trial",
       .place = "{policy_place}",
       .apply = "dtype_policy=mixed_bfloat16"},
      {.cause = "copies",
       .sentence = "The device waits {copies} of the time until its input has arrived.",
       .remedy =
           "Send fewer bytes: uint8 instead of float32, converted in the model (Rescaling); or "
           "keep the data on the device (arrays that fit are kept there).",
       .when = {{"copies", at_least, worth_saying}},
       .show = {"copies_seconds", "step"},
       .predict = no_copies,
       .predict_text = "a trial with batches on the device, else T − copies",
       .place = "{fit_place}"},
      {.cause = "copies",
       .sentence = "Sending batches to the device takes longer than computing with them: a step "
                   "takes {step}, with batches that lie there {resident}.",
       .remedy =
           "Send fewer bytes: uint8 instead of float32, converted in the model (Rescaling); or "
           "keep the data on the device (cache_on_device, or arrays that fit).",
       .when = {waits_for_input,
                {"on_host", below, 1},
                {"cached_gain", below, 1 + worth_saying},
                {"resident_gain", at_least, 1 + worth_saying}},
       .show = {"copies_seconds", "input_seconds", "step"},
       .predict = no_copies,
       .predict_text = "a trial with batches on the device",
       .place = "{fit_place}"},
      {.cause = "small_batch",
       .sentence =
           "The batch of {batch_size} is too small for the device: {fixed_share} of a step's "
           "time is saved by a larger one.",
       .remedy = "A larger batch, such as {better_batch} (and a learning rate to go with it).",
       .when = {{"working", at_least, much}, {"fixed_share", at_least, 0.25}},
       .show = {"better_batch_seconds", "step"},
       .predict = larger_batch,
       .predict_text = "t(b) · batch / b, as measured in a trial",
       .place = "{batch_place}",
       .apply = "fit.batch_size={better_batch}"},
      {.cause = "small_batch",
       .sentence =
           "The batch of {batch_size} is small: most of a step is likely to be work that does "
           "not depend on its size.",
       .remedy = "Try a larger one; stoker train --headroom measures what it wins.",
       .when = {{"batch_size", below, 8}, {"fixed_share", absent}, {"working", at_least, much}},
       .show = {"step"},
       .place = "{batch_place}",
       .observed = false},
      {.cause = "launch",
       .sentence = "The device waits {launch} of the time for its next step to be launched.",
       .remedy = "A larger batch, so that a step takes longer than to launch it.",
       .when = {{"launch", at_least, worth_saying}},
       .show = {"launch_seconds", "step"},
       .predict = no_launch,
       .predict_text = "T − launch",
       .place = "{batch_place}"}};
}

}  // namespace

const std::vector<Rule>& run_rules() {
  static const auto* const rules = [] {
    auto* all = new std::vector<Rule>(loop_rules());
    for (auto group : {input_rules(), device_rules(), rank_rules()})
      all->insert(all->end(), group.begin(), group.end());
    return all;
  }();
  return *rules;
}

}  // namespace stoker::ledger
