#include "ledger/run_predictions.h"
#include "ledger/run_rules.h"

namespace stoker::ledger {

using enum Condition::Test;

std::vector<Rule> device_rules() {
  return {
      {.cause = "precision",
       .sentence = "{matmul} of the work are float32 matrix products, which bfloat16 computes "
                   "faster: {bfloat16_seconds} a step instead of {resident}, without waits.",
       .remedy = "Mixed precision: set_dtype_policy(\"mixed_bfloat16\").",
       .when = {{"working", at_least, 0.5},
                {"matmul", at_least, 0.3},
                {"bfloat16_gain", at_least, 1 + worth_saying}},
       .show = {"bfloat16_seconds", "resident", "step"},
       .predict = with_bfloat16,
       .predict_text = "as measured in a trial + what else it waits for",
       .place = "{policy_place}",
       .apply = "dtype_policy=mixed_bfloat16"},
      {.cause = "float16_on_cpu",
       .sentence = "The model computes in float16, which most CPUs convert to float32 and back: "
                   "steps are slower than in float32.",
       .remedy = "On a CPU train in float32: set_dtype_policy(\"float32\"). Mixed precision wins "
                 "on a GPU.",
       .when = {{"working", at_least, 0.5}, {"on_host", at_least, 1}, {"float16", at_least, 1}},
       .show = {"step"},
       .place = "{policy_place}",
       .observed = false},
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
       .when = {{"input", at_least, worth_saying},
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
       .predict_text = "t(b) · batch / b, as measured in a trial + input + batch / b of what else "
                       "it waits for",
       .place = "{batch_place}",
       .apply = "fit.batch_size={better_batch}"},
      {.cause = "small_batch",
       .sentence =
           "The batch of {batch_size} is small: most of a step is likely to be work that does "
           "not depend on its size.",
       .remedy = "Try a larger one; stoker train --headroom measures the gain.",
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

std::vector<Rule> machine_rules() {
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
       .observed = false,
       .machine = true},
      {.cause = "cpu_quota",
       .sentence = "The container's CPU quota stops the program {cpu_throttled} of the time.",
       .remedy = "Raise the quota (docker run --cpus, Kubernetes limits.cpu, systemd CPUQuota).",
       .when = {{"cpu_throttled", at_least, 0.1}},
       .show = {"cores", "cores_used", "step"},
       .predict = no_quota,
       .predict_text = "T · (1 − throttled)",
       .observed = false,
       .machine = true},
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
       .observed = false,
       .machine = true}};
}

}  // namespace stoker::ledger
