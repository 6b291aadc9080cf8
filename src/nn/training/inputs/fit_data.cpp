#include "nn/training/inputs/fit_data.h"

#include <fmt/format.h>

#include <cmath>

#include "data/feeds/array_source.h"
#include "distribution/collectives.h"
#include "nn/training/inputs/dataset_data.h"
#include "nn/training/ranks/placement.h"

namespace stoker::nn {
namespace {

void check_lengths(const std::vector<Array>& arrays, int64_t samples, const char* what,
                   const char* doing) {
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (arrays[i].shape().rank() == 0)
      throw InvalidArgument(
          fmt::format("{}: {}[{}] is a scalar, not an array of samples.", doing, what, i));
    if (arrays[i].length() != samples)
      throw InvalidArgument(
          fmt::format("{}: x has {} samples, but {}[{}] of shape {} has {}.", doing, samples, what,
                      i, to_string(arrays[i].shape()), arrays[i].length()),
          "all arrays need the same first dimension.");
  }
}

// The class of sample i: an integer label, or the largest entry of a one-hot row.
int64_t class_of(const Array& y, int64_t i) {
  const int64_t width = y.size() / y.length();
  if (width == 1) return static_cast<int64_t>(std::llround(y.at(i)));
  int64_t best = 0;
  for (int64_t j = 1; j < width; ++j)
    if (y.at(i * width + j) > y.at(i * width + best)) best = j;
  return best;
}

void refuse_strings(const Arrays& arrays, const char* what, const char* doing) {
  for (const Array& array : arrays)
    if (array.holds_strings())
      throw InvalidArgument(
          fmt::format("{}: {} must be numbers, but the array of shape {} holds strings.", doing,
                      what, to_string(array.shape())),
          "convert it to numbers before it is saved (numpy: y.astype('float32'), or the second "
          "result of np.unique(y, return_inverse=True) for classes).");
}

// For one output; a single weight applies to all of them, an undefined one to none.
Array weight_of(const ColumnArgs& args, size_t output) {
  if (!args.class_weight.empty()) return weights_by_class(args.y[output], args.class_weight);
  const size_t given = args.sample_weight.size();
  if (given != 1 && output >= given) return {};
  const Array& weight = args.sample_weight[given == 1 ? 0 : output];
  return weight.defined() ? weight.astype(DType::float32) : Array();
}

// The end of an error message about a negative number. zero_is_all: 0 means all of the data.
std::string not_negative(int64_t got, bool zero_is_all) {
  return fmt::format("must not be negative, got {}{}.", got,
                     zero_is_all ? "; 0 takes what the data gives" : "");
}

}  // namespace

Array weights_by_class(const Array& y, const std::map<int64_t, double>& class_weight) {
  Array weights(DType::float32, Shape{y.length()});
  auto out = weights.mutable_data<float>();
  for (int64_t i = 0; i < y.length(); ++i) {
    auto found = class_weight.find(class_of(y, i));
    out[static_cast<size_t>(i)] =
        found == class_weight.end() ? 1.0f : static_cast<float>(found->second);
  }
  return weights;
}

int64_t samples_kept(int64_t samples, double split, const char* doing) {
  const auto kept = static_cast<int64_t>(static_cast<double>(samples) * (1 - split));
  if (kept == 0 || kept == samples)
    throw InvalidArgument(
        fmt::format("{}: validation_split {} of {} samples leaves nothing for {}.", doing, split,
                    samples, kept == 0 ? "training" : "validation"));
  return kept;
}

Columns Columns::rows(int64_t begin, int64_t end) const {
  Columns part{.layout = layout};
  for (const Array& array : arrays) part.arrays.push_back(array.rows(begin, end));
  return part;
}

Columns make_columns(const ColumnArgs& args, const char* doing) {
  if (args.x.empty() || !args.x[0].defined())
    throw InvalidArgument(fmt::format("{}: x is missing.", doing));
  check_lengths({args.x[0]}, args.x[0].shape().rank() == 0 ? 1 : args.x[0].length(), "x", doing);
  const int64_t samples = args.x[0].length();
  if (samples == 0)
    throw InvalidArgument(
        fmt::format("{}: the data is empty: x has shape {}.", doing, to_string(args.x[0].shape())));
  check_lengths(args.x, samples, "x", doing);
  check_lengths(args.y, samples, "y", doing);
  refuse_strings(args.y, "targets", doing);
  refuse_strings(args.sample_weight, "sample weights", doing);
  if (args.sample_weight.size() > args.y.size())
    throw InvalidArgument(fmt::format("{}: {} sample weights for {} targets.", doing,
                                      args.sample_weight.size(), args.y.size()));
  for (const Array& weight : args.sample_weight)
    if (weight.defined()) check_lengths({weight}, samples, "sample_weight", doing);
  if (!args.class_weight.empty() && args.y.size() != 1)
    throw InvalidArgument(fmt::format("{}: class_weight needs a model with one output.", doing),
                          "use sample_weight.");
  if (!args.class_weight.empty() && !args.sample_weight.empty())
    throw InvalidArgument(
        fmt::format("{}: class_weight and sample_weight cannot be given together.", doing));

  Columns columns;
  columns.layout.x = args.x.size();
  columns.layout.y = args.y.size();
  columns.arrays = args.x;
  columns.arrays.insert(columns.arrays.end(), args.y.begin(), args.y.end());
  for (size_t i = 0; i < args.y.size(); ++i) {
    const Array weight = weight_of(args, i);
    columns.layout.weighted.push_back(weight.defined());
    if (weight.defined()) columns.arrays.push_back(weight);
  }
  return columns;
}

std::optional<OutOfRange> out_of_range(const FitArgs& args) {
  const auto positive = [](int64_t got) { return fmt::format("must be positive, got {}.", got); };
  if (args.batch_size <= 0 && args.batch_size != AUTO)
    return OutOfRange{"batch_size", positive(args.batch_size)};
  if (args.validation_freq <= 0)
    return OutOfRange{"validation_freq", positive(args.validation_freq)};
  if (!(args.validation_split >= 0 && args.validation_split < 1))
    return OutOfRange{"validation_split",
                      fmt::format("must be in [0, 1), got {}.", args.validation_split)};
  if (args.epochs < 0) return OutOfRange{"epochs", not_negative(args.epochs, false)};
  if (args.initial_epoch < 0)
    return OutOfRange{"initial_epoch", not_negative(args.initial_epoch, false)};
  for (const auto& [key, got] : {std::pair("steps_per_epoch", args.steps_per_epoch),
                                 std::pair("validation_steps", args.validation_steps),
                                 std::pair("validation_batch_size", args.validation_batch_size)})
    if (got < 0) return OutOfRange{key, not_negative(got, true)};
  if (const auto [from, to] = args.profile; (from != 0 || to != 0) && (from < 1 || to < from))
    return OutOfRange{"profile", fmt::format("must be two numbers of steps, the first at least 1 "
                                             "and the second not below it, got {} and {}.",
                                             from, to)};
  return std::nullopt;
}

void check_compiled(const Model& model, const char* doing) {
  if (!model.compiled())
    throw InvalidArgument(fmt::format("{} needs a compiled model.", doing), "call compile first.");
}

void check_range(int64_t batch_size, int64_t steps, const char* doing) {
  if (batch_size <= 0)
    throw InvalidArgument(
        fmt::format("{}: batch_size must be positive, got {}.", doing, batch_size));
  if (steps < 0)
    throw InvalidArgument(fmt::format("{}: steps {}", doing, not_negative(steps, true)));
}

RunData run_over(const Columns& columns, bool shuffle) {
  return {std::make_shared<data::ArraySource>(columns.arrays, shuffle), columns.layout, columns};
}

FitData make_fit_data(Model& model, const Arrays& x, const Arrays& y, const FitArgs& args,
                      const char* doing) {
  const Columns all = make_columns({x, y, args.sample_weight, args.class_weight}, doing);
  if (args.validation_data)
    return {run_over(all, args.shuffle), run_over(model, args.validation_data, doing)};
  if (args.validation_split == 0) return {run_over(all, args.shuffle)};
  const int64_t samples = all.samples();
  const int64_t kept = samples_kept(samples, args.validation_split, doing);
  return {run_over(all.rows(0, kept), args.shuffle),
          run_over(make_columns({x, y, args.sample_weight, {}}, doing).rows(kept, samples))};
}

data::FeedPlan divided(data::FeedPlan plan) {
  plan.division = distribution::division();
  return plan;
}

void refuse_endless(const data::FeedPlan& plan, int64_t steps, const char* doing,
                    const char* argument) {
  if (plan.endless && steps == 0)
    throw InvalidArgument(fmt::format("{}: the data has no end.", doing),
                          fmt::format("limit the number of batches with {}.", argument));
}

std::unique_ptr<data::Feed> open_feed(const RunData& data, const device::Device& device,
                                      const FeedWishes& wishes, const char* doing) {
  data::FeedPlan plan = data.source->plan(device);
  if (wishes.divides) plan = placed_together(divided(std::move(plan)), device.is_host());
  refuse_endless(plan, wishes.steps, doing, "steps");
  return data.source->open(plan, device, {.batch_size = plan.batch_size(wishes.batch_size)});
}

}  // namespace stoker::nn
