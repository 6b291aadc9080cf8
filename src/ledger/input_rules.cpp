#include "ledger/run_predictions.h"
#include "ledger/run_rules.h"

namespace stoker::ledger {
namespace {

using enum Condition::Test;

constexpr Condition waits_for_input = {"input", at_least, worth_saying};
// Prefetch would hide less than half of the wait, or is in use.
constexpr Condition made_ahead = {"prefetch_wins", below, 0.5, true};
// The work of the stages is at least half of the wait: else their threads wait themselves.
constexpr Condition stages_work = {"stages_explain", at_least, 0.5, true};
// Else it works in the first epoch only.
constexpr Condition not_cached = {"stage_cached", below, 1};
// If the program is stopped most of the time, the cost of a stage is unknown.
constexpr Condition not_stopped = {"cpu_throttled", below, 0.3, true};
constexpr Condition is_source = {"stage_source", at_least, 1},
                    is_no_source = {"stage_source", below, 1};
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
       .remedy = "Keep the data in memory (cache; in a recipe: data.pipeline.cache = true) or on a "
                 "local disk, pack many small files into few large ones (stoker pack), or read "
                 "several files at a time (interleave).",
       .when = {waits_for_input,
                made_ahead,
                cache_helps,
                not_stopped,
                stages_work,
                not_cached,
                is_source,
                {"stage_in_memory", below, 1},
                {"stage_generator", below, 1}},
       .show = {"stage_seconds", "step", "threads"},
       .predict = no_stage,
       .predict_text = "a trial with batches in memory, else max(T − input, the other stages)",
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
                stages_work,
                not_cached,
                {"stage_generator", at_least, 1}},
       .show = {"stage_seconds", "step", "threads"},
       .predict = no_stage,
       .predict_text = "a trial with batches in memory, else max(T − input, the other stages)",
       .place = "{stage_place}"},
      {.cause = "storage",
       .sentence = "What {nested_stage} reads is the limit: the other stages work {stages_seconds} "
                   "for a batch, but the device waits {input_seconds} for it.",
       .remedy = "Read more files at a time (num_parallel_reads, interleave with "
                 "num_parallel_calls = AUTOTUNE), keep the data in memory (cache) or on a local "
                 "disk, or pack many small files into few large ones (stoker pack).",
       .when = {waits_for_input,
                made_ahead,
                cache_helps,
                not_stopped,
                {"stages_explain", below, 0.5},
                {"nested", at_least, 1}},
       .show = {"stages_seconds", "input_seconds", "threads", "step"},
       .predict = no_stage,
       .predict_text = "a trial with batches in memory, else max(T − input, the other stages)",
       .place = "{nested_place}",
       .observed = false},
      {.cause = "slow_source",
       .sentence = "{stage} gives its elements one by one, in one thread: a batch takes "
                   "{stage_seconds}, and the device waits for input {input} of the time.",
       .remedy = "Put batch right behind it, which copies many rows at a time, or give fit the "
                 "arrays themselves.",
       .when = {waits_for_input,
                made_ahead,
                cache_helps,
                not_stopped,
                stages_work,
                not_cached,
                {"stage_in_memory", at_least, 1}},
       .show = {"stage_seconds", "step"},
       .predict = no_stage,
       .predict_text = "likewise",
       .place = "{stage_place}"},
      {.cause = "serial_stage",
       .sentence = "{stage} works in one thread: it takes {stage_seconds} for a batch, and the "
                   "device waits for input {input} of the time.",
       .remedy = "num_parallel_calls = AUTOTUNE (there are {threads} threads), or a cache behind "
                 "it.",
       .when = {waits_for_input,
                made_ahead,
                cache_helps,
                not_stopped,
                stages_work,
                not_cached,
                is_no_source,
                {"stage_has_calls", at_least, 1},
                {"stage_calls", below, 2},
                {"threads", at_least, 2}},
       .show = {"stage_seconds", "step", "all_threads"},
       .predict = all_threads,
       .predict_text = "max(T − input or its trial, work of all stages / threads)",
       .place = "{stage_place}"},
      {.cause = "serial_stage",
       .sentence = "{stage} works in one thread: it takes {stage_seconds} for a batch, and the "
                   "device waits for input {input} of the time.",
       .remedy = "Put a cache behind it (in a recipe: cache = true as the last stage of "
                 "data.pipeline); the order of a shuffle before it is then the same in all epochs.",
       .when = {waits_for_input,
                made_ahead,
                cache_helps,
                not_stopped,
                stages_work,
                not_cached,
                is_no_source,
                {"stage_has_calls", below, 1},
                {"stage_calls", below, 2},
                {"threads", at_least, 2}},
       .show = {"stage_seconds", "rest_of_input", "step"},
       .predict = no_stage,
       .predict_text = "with a cache: a trial with batches in memory, else max(T − input, the "
                       "other stages)",
       .place = "{stage_place}"},
      {.cause = "slow_stage",
       .sentence =
           "The input is limited by the CPU: {stage} takes {stage_seconds} of a thread for a "
           "batch, on {stage_calls} threads, and the device waits for input {input} of the "
           "time.",
       .remedy =
           "Make it cheaper (its function, or fewer bytes: uint8 instead of float32), put cache() "
           "behind it unless something before it is random, or on a GPU make it part of the "
           "model. More cores help as well.",
       .when = {waits_for_input,
                made_ahead,
                cache_helps,
                not_stopped,
                stages_work,
                not_cached,
                is_no_source,
                {"stage_calls", at_least, 2}},
       .show = {"stage_seconds", "step", "threads"},
       .predict = no_stage,
       .predict_text = "with a cache: likewise",
       .place = "{stage_place}"},
      {.cause = "slow_stage",
       .sentence =
           "The input is limited by the CPU: {stage} takes {stage_seconds} of a thread for a "
           "batch, on the one core there is, and the device waits for input {input} of the "
           "time.",
       .remedy =
           "Make it cheaper (its function, or fewer bytes: uint8 instead of float32), put cache() "
           "behind it unless something before it is random, or on a GPU make it part of the "
           "model. More cores help as well.",
       .when = {waits_for_input,
                made_ahead,
                cache_helps,
                not_stopped,
                stages_work,
                not_cached,
                is_no_source,
                {"threads", below, 2}},
       .show = {"stage_seconds", "step", "threads"},
       .predict = no_stage,
       .predict_text = "with a cache: likewise",
       .place = "{stage_place}"},
      {.cause = "filling_cache",
       .sentence = "The first epoch fills the cache: {stage}, which comes before it, takes "
                   "{stage_seconds} for a batch on the average of all epochs, and the device waits "
                   "for input {input} of the time.",
       .remedy = "It is done once: train for more epochs, or cache into a file, which later runs "
                 "read: cache(\"train.cache\").",
       .when = {waits_for_input,
                made_ahead,
                cache_helps,
                not_stopped,
                stages_work,
                {"stage_cached", at_least, 1}},
       .show = {"stage_seconds", "step"},
       .place = "{stage_place}"},
      {.cause = "handing_over",
       .sentence =
           "The stages of the input work {stages_seconds} for a batch, but the device waits "
           "{input_seconds} for it: the input's threads mostly wait for a core or for each "
           "other.",
       .remedy =
           "Put batch before map, so that threads hand over whole batches; leave cores to the "
           "input, if other programs or a step on the CPU take them; or keep in memory what "
           "is not random (cache).",
       .when =
           {waits_for_input, made_ahead, cache_helps, not_stopped, {"stages_explain", below, 0.5}},
       .show = {"stages_seconds", "input_seconds", "threads", "cores_used", "step"},
       .predict = [](const Figures& f) { return f.find("fed") ? no_input(f) : std::nullopt; },
       .predict_text = "a trial with batches in memory",
       .place = "{stage_place}",
       .observed = false},
      {.cause = "input",
       .sentence = "The device waits {input} of the time while the order and the rows of arrays "
                   "are prepared.",
       .remedy = "Fewer and longer epochs (each has an order of its own), shuffle = false, or "
                 "arrays of fewer bytes (uint8, converted in the model by Rescaling).",
       .when = {waits_for_input, made_ahead, cache_helps, not_stopped, {"stage_calls", absent}},
       .show = {"step"},
       .predict = no_input,
       .predict_text = "a trial with batches on the device, else T − input",
       .place = "{fit_place}"}};
}

}  // namespace stoker::ledger
