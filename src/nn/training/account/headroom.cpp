#include "stoker/headroom.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "device/scope.h"
#include "exec/loop_account.h"
#include "nn/memory/device_of_model.h"
#include "nn/model_impl.h"
#include "nn/training/account/trial_copy.h"
#include "nn/training/inputs/fit_data.h"
#include "ops/without_host_calls.h"

namespace stoker {
namespace {

using nn::tiled;
constexpr int64_t most_bytes = int64_t{64} << 20, most_steps = 64;  // of a trial's epoch
constexpr double worth_more = 1.05;  // a larger batch that gains less ends the search

class Trials {
 public:
  Trials(Model& model, Arrays x, Arrays y, const HeadroomArgs& args)
      : model_(model), x_(std::move(x)), y_(std::move(y)), args_(args) {
    nn::check_compiled(model, "measure_headroom");
    if (x_.empty() || x_[0].length() == 0)
      throw InvalidArgument("measure_headroom: there are no samples to try steps on.");
  }

  // `batches`: their source, if it is a dataset.
  Headroom run(const Dataset* batches = nullptr) {
    const device::Scope scope(nn::device_of(model_, "measure_headroom"));
    Headroom found;
    found.largest_batch = largest_batch();
    try_sizes(found);
    fit_line(found);
    if (batches) found.replayed_step_seconds = replayed_seconds(*batches);
    if (calls_the_host()) found.without_host_calls_step_seconds = seconds_without_host_calls();
    if (args_.bfloat16 && !scope.device().is_host())
      found.bfloat16_step_seconds =
          step_seconds(nn::trial_copy(model_, "mixed_bfloat16"), args_.batch_size);
    keep(found);
    return found;
  }

 private:
  // At most the number of samples; a model that knows its inputs needs no arrays.
  int64_t largest_batch() const {
    if (knows_its_inputs()) return model_.memory({.batch_size = args_.batch_size}).largest_batch;
    const int64_t rows = std::max(args_.most, args_.batch_size);
    return model_.memory(tiled(x_, rows), tiled(y_, rows), {.batch_size = args_.batch_size})
        .largest_batch;
  }

  bool knows_its_inputs() const {
    const std::vector<Tensor> inputs = model_.inputs();
    return !inputs.empty() && std::ranges::all_of(inputs, [](const Tensor& input) {
      const auto dims = input.shape().dims();
      return std::find(dims.begin() + 1, dims.end(), unknown) == dims.end();
    });
  }

  // The length of an epoch of the last fit, or of the arrays.
  int64_t samples_of_an_epoch() const {
    const nn::RunNotes& last = model_.impl().fits.last.notes;
    const auto epochs = static_cast<int64_t>(last.history.epoch.size());
    return std::max(x_[0].length(), epochs > 0 ? last.samples / epochs : 0);
  }

  // As many steps as an epoch has, so that the time between epochs has the same weight as in fit;
  // enough that a device runs many steps at a time, but with no more memory than a small data set
  // needs.
  int64_t steps_of_an_epoch(int64_t batch) const {
    int64_t bytes = 0;
    for (const Arrays& arrays : {x_, y_})
      for (const Array& array : arrays) bytes += static_cast<int64_t>(array.row_bytes()) * batch;
    const int64_t most = std::clamp(samples_of_an_epoch() / batch, int64_t{1}, most_steps);
    return std::clamp(most_bytes / std::max<int64_t>(bytes, 1), int64_t{1}, most);
  }

  // After a first fit, which compiles the step and measures its time.
  template <class Fit>
  double seconds_of(const Model& model, int64_t steps, Fit fit) const {
    fit(2);
    const double once =
        static_cast<double>(steps) * std::max(model.account_data().step_seconds, 1e-6);
    const auto epochs = static_cast<int64_t>(std::clamp(args_.seconds_per_trial / once, 1.0, 1e5));
    std::array<double, 3> times{};
    for (double& time : times) {
      fit(epochs);
      time = model.account_data().step_seconds;
    }
    std::ranges::sort(times);
    return times[1];
  }

  double step_seconds(Model model, int64_t batch) const {
    const int64_t steps = steps_of_an_epoch(batch);
    const Arrays x = tiled(x_, steps * batch), y = tiled(y_, steps * batch);
    return seconds_of(model, steps, [&](int64_t epochs) {
      model.fit(x, y, {.batch_size = batch, .epochs = epochs, .verbose = 0});
    });
  }

  bool calls_the_host() const {
    return model_.impl().fits.last_run.host[static_cast<size_t>(ledger::Activity::host_calls)] > 0;
  }
  double seconds_without_host_calls() const {
    const ops::WithoutHostCalls trial;
    return step_seconds(nn::trial_copy(model_), args_.batch_size);
  }

  // Replays the first batches from host memory, through the same path as a dataset's batches.
  double replayed_seconds(const Dataset& batches) const {
    const auto kept = std::make_shared<const std::vector<Element>>(first_batches(batches));
    const auto begin = [kept] {
      return [kept, next = size_t{0}]() mutable -> std::optional<Element> {
        return next < kept->size() ? std::optional((*kept)[next++]) : std::nullopt;
      };
    };
    const auto steps = static_cast<int64_t>(kept->size());
    const Dataset replayed =
        Dataset::from_generator(begin, batches.element_spec()).assert_cardinality(steps).cache();
    Model model = nn::trial_copy(model_);
    return seconds_of(model, steps, [&](int64_t epochs) {
      model.fit(replayed, {.epochs = epochs, .verbose = 0});
    });
  }
  // Full batches, as many as arrive within a second.
  std::vector<Element> first_batches(const Dataset& batches) const {
    constexpr ledger::Time second = 1'000'000'000;
    const ledger::Time begin = ledger::now();
    std::vector<Element> kept;
    int64_t bytes = 0;
    for (const Element& batch : batches) {
      if (batch[0].arrays()[0].length() != args_.batch_size) break;
      kept.push_back(batch);
      for (const Array& array : batch.arrays()) bytes += static_cast<int64_t>(array.bytes());
      if (bytes > most_bytes || static_cast<int64_t>(kept.size()) == most_steps ||
          ledger::now() - begin > second)
        break;
    }
    return kept;
  }

  void try_sizes(Headroom& found) const {
    int64_t most = std::min(std::max(args_.most, args_.batch_size),
                            std::max(found.largest_batch, args_.batch_size));
    if (x_[0].length() > args_.batch_size)  // all data, at least two steps per epoch
      most = std::min(most, std::max(x_[0].length() / 2, args_.batch_size));
    for (int64_t batch = args_.batch_size; batch <= most; batch *= 4) {
      found.sizes.push_back({batch, step_seconds(nn::trial_copy(model_), batch)});
      if (no_longer_faster(found.sizes)) break;
    }
    found.best_batch =
        std::ranges::max_element(found.sizes, {}, &Headroom::Size::samples_per_second)->batch;
  }

  // Stops after two sizes without a gain: a single measurement may have been disturbed.
  static bool no_longer_faster(const std::vector<Headroom::Size>& sizes) {
    if (sizes.size() < 3) return false;
    const auto rate = [&](size_t from_last) {
      return sizes[sizes.size() - from_last].samples_per_second();
    };
    return std::max(rate(1), rate(2)) < worth_more * rate(3);
  }

  static void fit_line(Headroom& found) {
    const auto& first = found.sizes.front();
    const auto& last = found.sizes.back();
    if (first.batch == last.batch) return;
    found.each = std::max(0.0, (last.step_seconds - first.step_seconds) /
                                   static_cast<double>(last.batch - first.batch));
    found.fixed = std::max(0.0, first.step_seconds - found.each * static_cast<double>(first.batch));
  }

  // For the advice about the last run.
  void keep(const Headroom& found) { model_.impl().fits.last_run.probe = exec::probe_of(found); }

  Model& model_;
  const Arrays x_, y_;
  const HeadroomArgs args_;
};

}  // namespace

Headroom measure_headroom(Model& model, const Arrays& x, const Arrays& y,
                          const HeadroomArgs& args) {
  return Trials(model, x, y, args).run();
}

Headroom measure_headroom(Model& model, const Dataset& batches, const HeadroomArgs& args) {
  for (const Element& batch : batches) {
    if (batch.size() < 2) break;
    const Arrays x = batch[0].arrays(), y = batch[1].arrays();
    HeadroomArgs sized = args;
    sized.batch_size = x[0].length();
    return Trials(model, x, y, sized).run(&batches);
  }
  throw InvalidArgument("measure_headroom: the dataset has no batch of samples and targets.");
}

std::string Headroom::to_string() const {
  std::string text = fmt::format("{:>10} {:>12} {:>12}\n", "batch", "step", "samples/s");
  for (const Size& size : sizes)
    text += fmt::format("{:>10} {:>9.3f} ms {:>12.0f}{}\n", size.batch, 1e3 * size.step_seconds,
                        size.samples_per_second(), size.batch == best_batch ? "  best" : "");
  if (sizes.size() > 1)
    text += fmt::format("t(b) = {:.3f} ms + {:.4f} ms · b\n", 1e3 * fixed, 1e3 * each);
  if (largest_batch > 0) text += fmt::format("largest batch that fits: {}\n", largest_batch);
  if (replayed_step_seconds > 0)
    text += fmt::format("batches of the host's memory: {:.3f} ms a step\n",
                        1e3 * replayed_step_seconds);
  if (without_host_calls_step_seconds > 0)
    text += fmt::format("without functions on the host: {:.3f} ms a step\n",
                        1e3 * without_host_calls_step_seconds);
  if (bfloat16_step_seconds > 0)
    text += fmt::format("mixed_bfloat16: {:.3f} ms a step\n", 1e3 * bfloat16_step_seconds);
  return text;
}

}  // namespace stoker
