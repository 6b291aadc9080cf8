#include "ledger/run_rules.h"

#include "ledger/run_predictions.h"

namespace stoker::ledger {
namespace {

using enum Condition::Test;

constexpr double several = 4;  // programs per step of a loop

std::vector<Rule> rank_rules() {
  return {
      {.cause = "imbalance",
       .sentence = "The ranks wait {ranks_wait} of the time for rank {late_rank}, which comes last "
                   "to most sums.",
       .remedy = "See what else runs on that rank's machine (stoker top), and give every rank as "
                 "many cores and equally fast storage.",
       .when = {{"ranks_wait", at_least, worth_saying}},
       .show = {"imbalance_seconds", "step"},
       .predict = no_late_rank,
       .predict_text = "T · (1 − waiting for that rank)"},
      {.cause = "communication",
       .sentence = "Sums over all ranks take {communication} of the time.",
       .remedy = "A larger batch_size, which needs fewer of them for as many samples, or fewer "
                 "processes: stoker plan --processes predicts the speed-up.",
       .when = {{"communication", at_least, worth_saying}},
       .show = {"communication_seconds", "step"},
       .predict = [](const Figures& f) { return without(f, "communication_seconds"); },
       .predict_text = "T − communication",
       .place = "{batch_place}"}};
}

std::vector<Rule> loop_rules() {
  return {
      {.cause = "recompile",
       .sentence = "A step is compiled anew again and again: {late_compiles} of the steps had a "
                   "shape of their own, which takes {compile} of the time.",
       .remedy = "Give batches one shape, or a few: padded_batch with fixed padded_shapes, "
                 "bucket_by_sequence_length with pad_to_bucket_boundary, or drop_remainder; in a "
                 "loop of your own, pad the arrays.",
       .when = {{"compile", at_least, worth_saying},
                {"late_compiles", at_least, 0.02},
                {"recompiles", at_least, 3}},
       .show = {"compile_seconds", "step"},
       .predict = no_compile,
       .predict_text = "a trial of the step + what else it waits for (more than now if padding "
                       "costs more than compiling), else T − compile",
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
       .when = {{"hooks_take", at_least, worth_saying},
                {"reading", at_least, 0.5},
                {"hooks", at_least, each_step}},
       .show = {"metrics_seconds", "callbacks_seconds", "step"},
       .predict = no_hooks,
       .predict_text = "a trial of the step + what else it waits for, else T − callbacks − metrics "
                       "− launch",
       .place = "{callback_place}"},
      {.cause = "callback",
       .sentence = "{callback} is called between steps, {hooks} times a step: callbacks take "
                   "{callbacks} of the time, and reading the metrics for them {metrics}.",
       .remedy = "Do it every 100 batches (batch_interval), or once an epoch (on_epoch_end).",
       .when = {{"hooks_take", at_least, worth_saying},
                {"reading", below, 0.5},
                {"hooks", at_least, each_step}},
       .show = {"metrics_seconds", "callbacks_seconds", "step"},
       .predict = no_hooks,
       .predict_text = "a trial of the step + what else it waits for, else T − callbacks − metrics "
                       "− launch",
       .place = "{callback_place}"},
      {.cause = "read_each_step",
       .sentence = "The loop reads tensors between its steps, which takes {metrics} of the time.",
       .remedy = "Read the loss every 100 steps: each read stalls the device. train_on_batch reads "
                 "it at every step; fit and a compiled function (stoker::function) do not.",
       .when = {{"metrics", at_least, worth_saying}, {"runs", at_least, 0}},
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

// What happens between epochs, and before and after the steps.
std::vector<Rule> around_steps_rules() {
  return {
      {.cause = "epoch_end",
       .sentence = "Callbacks{slowest_callback} and output at the ends of epochs take {callbacks} "
                   "of the time, and reading the metrics for them {metrics}.",
       .remedy = "Fewer and longer epochs (repeat the data, or set steps_per_epoch), or do the "
                 "callback's work every few epochs.",
       .when = {{"hooks_take", at_least, worth_saying},
                {"hooks", below, each_step},
                {"runs", absent}},
       .show = {"metrics_seconds", "callbacks_seconds", "step"},
       .predict =
           [](const Figures& f) { return without(f, "callbacks_seconds", "metrics_seconds"); },
       .predict_text = "T − callbacks − metrics",
       .place = "{callback_place}"},
      {.cause = "validation",
       .sentence = "Validation takes {validation} of the run's time.",
       .remedy =
           "Validate every few epochs (validation_freq), on fewer batches (validation_steps), "
           "or in larger ones (validation_batch_size).",
       .when = {{"validation", at_least, much}},
       .show = {"wall"},
       .bound = [](const Figures& f) -> std::optional<double> {
         return 1 / std::max(1 - of(f, "validation"), 0.01);
       },
       .bound_text = "the run: at most 1 / (1 − validation) times as fast",
       .place = "{fit_place}"},
      {.cause = "compile_before",
       .sentence = "Compiling before the first step takes {compile_before} of the run's time.",
       .remedy = "It is done once: train longer in one fit, or call fit, evaluate and predict of "
                 "the same model again instead of making a new one.",
       .when = {{"compile_before", at_least, much}},
       .show = {"wall"},
       .place = "{fit_place}"},
      {.cause = "outputs",
       .sentence = "Copying the results to the host takes {outputs} of the time.",
       .remedy = "Return less: reduce the outputs in the model (an argmax instead of all scores), "
                 "or predict in larger batches.",
       .when = {{"outputs", at_least, worth_saying}},
       .show = {"outputs_seconds", "step"},
       .predict = [](const Figures& f) { return without(f, "outputs_seconds"); },
       .predict_text = "T − outputs",
       .place = "{fit_place}"},
      {.cause = "setup",
       .sentence = "Opening and closing the data takes {setup} of the time.",
       .remedy = "It is done once in each call: do more in one, with more epochs or more data.",
       .when = {{"setup", at_least, worth_saying}},
       .show = {"setup_seconds", "step"},
       .predict = [](const Figures& f) { return without(f, "setup_seconds"); },
       .predict_text = "T − setup",
       .place = "{fit_place}"}};
}

}  // namespace

const std::vector<Rule>& run_rules() {
  static const auto* const rules = [] {
    auto* all = new std::vector<Rule>(loop_rules());
    for (auto group :
         {around_steps_rules(), input_rules(), device_rules(), machine_rules(), rank_rules()})
      all->insert(all->end(), group.begin(), group.end());
    return all;
  }();
  return *rules;
}

}  // namespace stoker::ledger
