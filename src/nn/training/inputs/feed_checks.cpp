#include "nn/training/inputs/feed_checks.h"

#include <fmt/format.h>

#include <algorithm>

namespace stoker::nn {
namespace {

std::string length_of(const data::FeedPlan& plan) {
  if (plan.samples > 0) return fmt::format("{} samples", plan.samples);
  if (plan.known_batches > 0) return fmt::format("{} batches", plan.known_batches);
  return plan.endless ? "no end" : "an unknown length";
}

std::string describe(const data::FeedPlan& plan) {
  std::string text = length_of(plan) + " of ";
  for (const TensorType& type : plan.columns)
    text += (text.back() == ' ' ? "" : ", ") + to_string(type);
  return text;
}

void check_complete(const data::Batch& batch) {
  if (!batch.types || !batch.inputs || (batch.count > 1 && !batch.strides))
    throw Internal(fmt::format("the feed gave {} batches without {}.", batch.count,
                               !batch.types    ? "types"
                               : !batch.inputs ? "inputs"
                                               : "strides"));
}

// Whole columns, from which steps gather rows, have unknown length and are never empty.
bool is_empty(const TensorType& type) { return type.shape.is_known() && type.bytes() == 0; }

}  // namespace

void check_batch(const data::FeedPlan& plan, const data::Batch& batch, int64_t batch_size,
                 int64_t most) {
  if (batch.rows < 1 || (batch.rows > batch_size && !plan.varies))
    throw Internal(fmt::format("the feed gave a batch of {} rows, but its batch size is {}.",
                               batch.rows, batch_size));
  if (batch.count < 1 || batch.count > most)
    throw Internal(fmt::format("the feed gave {} batches where at most {} were requested.",
                               batch.count, most));
  const int64_t samples = plan.samples, end = batch.first + batch.rows * batch.count;
  if (batch.first < 0 || (samples > 0 && end > samples))
    throw Internal(fmt::format("the feed gave samples {} to {}, but it announced {}.", batch.first,
                               end - 1, length_of(plan)));
  check_complete(batch);
}

void check_types(const data::Batch& batch, const exec::CompiledStep& step) {
  for (size_t i = 0; i < std::max(step.num_inputs(), batch.types->size()); ++i) {
    const TensorType* want = i < step.num_inputs() ? &step.input_type(i) : nullptr;
    const TensorType* got = i < batch.types->size() ? &(*batch.types)[i] : nullptr;
    if (want && got && *want == *got) continue;
    throw Internal(fmt::format(
        "the feed announced {} for input {} of a step of {} rows, but gave {}.",
        want ? to_string(*want) : "nothing", i, batch.rows, got ? to_string(*got) : "nothing"));
  }
  for (size_t i = 0; i < step.num_inputs(); ++i)
    if (!batch.inputs[i] && !is_empty(step.input_type(i)))
      throw Internal(fmt::format("the feed gave a null pointer for input {}, {}.", i,
                                 to_string(step.input_type(i))));
}

void check_plan(const data::FeedPlan& before, const data::FeedPlan& now) {
  if (before != now)
    throw InvalidArgument(fmt::format("the data changed between two epochs: it had {}, now it has "
                                      "{}.",
                                      describe(before), describe(now)),
                          "call fit again for other data.");
}

void check_end(data::Feed& feed, int64_t batches) {
  const int64_t announced = feed.batches();
  if (batches < announced)
    throw InvalidArgument(
        fmt::format("the data ended after {} batches, but {} were announced.", batches, announced),
        "announce the right length, or none if it is unknown.");
  if (!feed.exhausted())
    throw InvalidArgument(
        fmt::format("there are more than {} batches, but {} were announced.", batches, announced),
        "announce the right length, or none if it is unknown.");
}

}  // namespace stoker::nn
