#include "ledger/run_predictions.h"
#include "ledger/run_rules.h"

namespace stoker::ledger {
namespace {

using enum Condition::Test;

constexpr Condition waits_for_input = {"input", at_least, worth_saying};
// Prefetch would hide less than half of the wait, or is in use.
constexpr Condition made_ahead = {"prefetch_wins", below, 0.5, true};
// If the program is stopped most of the time, the cost of a stage is unknown.
constexpr Condition not_stopped = {"cpu_throttled", below, 0.3, true};
constexpr Condition is_source = {"stage_source", at_least, 1};
constexpr Condition cache_helps = {"cached_gain", at_least, 1 + worth_saying, true};

}  // namespace

std::vector<Rule> input_rules() {
  return {
      {.cause = "no_prefetch",
       .sentence = "The loop makes each batch between two steps, and the device waits for it "
                   "{between} of the time: {between_seconds} a step.",
       .remedy = "Put prefetch(AUTOTUNE) behind the last stage: batches are then made while the "
                 "device works.",
       .when = {waits_for_input, {"between", at_least, worth_saying / 2}},
       .show = {"between_seconds", "step"},
       .predict = overlapped,
       .predict_text = "max(T − between, between)",
       .place = "{last_stage_place}"},
      {.cause = "storage",
       .sentence =
           "Reading is the limit: {stage} takes {stage_seconds} for a batch, and the device "
           "waits for input {input} of the time.",
       .remedy = "Keep the data in memory (cache) or on a local disk, pack many small files into "
                 "few large ones (stoker pack), or read several files at a time (interleave).",
       .when = {waits_for_input,
                made_ahead,
                cache_helps,
                not_stopped,
                is_source,
                {"stage_in_memory", below, 1},
                {"stage_generator", below, 1}},
       .show = {"stage_seconds", "step", "threads"},
       .predict = no_input,
       .predict_text = "a trial with batches in memory, else T − input",
       .place = "{stage_place}"},
      {.cause = "storage",
       .sentence = "The generator is the limit: it takes {stage_seconds} for a batch, in one "
                   "thread, and the device waits for input {input} of the time.",
       .remedy = "If it reads, keep the data in memory (cache) or on a local disk, or read several "
                 "files at a time (interleave); if it computes, move that into a map with "
                 "num_parallel_calls = AUTOTUNE.",
       .when = {waits_for_input,
                made_ahead,
                cache_helps,
                not_stopped,
                {"stage_generator", at_least, 1}},
       .show = {"stage_seconds", "step", "threads"},
       .predict = no_input,
       .predict_text = "a trial with batches in memory, else T − input",
       .place = "{stage_place}"},
      {.cause = "slow_source",
       .sentence = "{stage} gives its elements one by one, in one thread: a batch takes "
                   "{stage_seconds}, and the device waits for input {input} of the time.",
       .remedy = "Put batch right behind it, which copies many rows at a time, or give fit the "
                 "arrays themselves.",
       .when = {waits_for_input,
                made_ahead,
                cache_helps,
                not_stopped,
                {"stage_in_memory", at_least, 1}},
       .show = {"stage_seconds", "step"},
       .predict = no_input,
       .predict_text = "likewise",
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
           "Put cache() behind it or make its function cheaper; on a GPU it may be part of the "
           "model. More cores help as well.",
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
           "Put cache() behind it or make its function cheaper; on a GPU it may be part of the "
           "model. More cores help as well.",
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

}  // namespace stoker::ledger
