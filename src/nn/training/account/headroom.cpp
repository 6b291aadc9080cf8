#include "stoker/headroom.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "device/scope.h"
#include "ledger/account.h"
#include "nn/memory/device_of_model.h"
#include "nn/model_impl.h"
#include "nn/training/inputs/fit_data.h"

namespace stoker {
namespace {

constexpr double worth_more = 1.05;  // a larger batch that wins less than that is the last one

// As many rows as are asked for, those that are there again and again.
Array tiled(const Array& rows, int64_t count) {
  if (rows.length() >= count) return rows.rows(0, count);
  Shape shape = rows.shape();
  shape[0] = count;
  Array all(rows.dtype(), shape);
  const size_t bytes = rows.row_bytes();
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(all.mutable_raw() + static_cast<size_t>(i) * bytes,
                rows.raw() + static_cast<size_t>(i % rows.length()) * bytes, bytes);
  return all;
}
Arrays tiled(const Arrays& arrays, int64_t count) {
  Arrays all;
  for (const Array& array : arrays) all.push_back(tiled(array, count));
  return all;
}

bool is_of(const Config& config, const char* class_name) {
  const Config* name = config.find("class_name");
  return name && name->is_string() && name->as_string() == class_name;
}

// The same configuration with another policy wherever a layer computes in float32. An input has a
// type of data, not a policy.
Config with_policy(const Config& config, const std::string& policy) {
  if (config.is_list()) {
    Config::List list;
    for (const Config& item : config.as_list()) list.push_back(with_policy(item, policy));
    return list;
  }
  if (!config.is_map() || is_of(config, "InputLayer")) return config;
  Config map = Config::map();
  const bool is_policy = is_of(config, "DTypePolicy");
  for (const auto& [key, value] : config.as_map()) {
    const bool plain = key == "dtype" && value.is_string() && value.as_string() == "float32";
    if (plain)
      map[key] = policy;
    else if (is_policy && key == "config")
      map[key] = Config::map({{"name", policy}});
    else
      map[key] = with_policy(value, policy);
  }
  return map;
}

class Trials {
 public:
  Trials(Model& model, Arrays x, Arrays y, const HeadroomArgs& args)
      : model_(model), x_(std::move(x)), y_(std::move(y)), args_(args) {
    nn::check_compiled(model, "measure_headroom");
    if (x_.empty() || x_[0].length() == 0)
      throw InvalidArgument("measure_headroom: there are no samples to try steps on.");
  }

  Headroom run() {
    const device::Scope scope(nn::device_of(model_, "measure_headroom"));
    Headroom found;
    found.largest_batch = largest_batch();
    try_sizes(found);
    fit_line(found);
    if (args_.bfloat16 && !scope.device().is_host())
      found.bfloat16_step_seconds = step_seconds(copy("mixed_bfloat16"), args_.batch_size);
    keep(found);
    return found;
  }

 private:
  Model copy(const std::string& policy = "") const {
    const Config config = model_.get_config();
    Model made = Model::from_config(policy.empty() ? config : with_policy(config, policy));
    made.compile_from_config(model_.get_compile_config());
    return made;
  }

  // Of arrays, no batch is larger than they are; a model that knows its inputs needs none.
  int64_t largest_batch() const {
    if (!model_.inputs().empty())
      return model_.memory({.batch_size = args_.batch_size}).largest_batch;
    const int64_t rows = std::max(args_.most, args_.batch_size);
    return model_.memory(tiled(x_, rows), tiled(y_, rows), {.batch_size = args_.batch_size})
        .largest_batch;
  }

  // Enough that a device runs many steps at a time, but no more memory than a small data set takes.
  int64_t steps_of_an_epoch(int64_t batch) const {
    constexpr int64_t most_bytes = int64_t{64} << 20, most_steps = 64;
    int64_t bytes = 0;
    for (const Arrays& arrays : {x_, y_})
      for (const Array& array : arrays) bytes += static_cast<int64_t>(array.row_bytes()) * batch;
    return std::clamp(most_bytes / std::max<int64_t>(bytes, 1), int64_t{1}, most_steps);
  }

  // After a first fit, in which the step is compiled and tells how long it takes.
  double step_seconds(Model model, int64_t batch) const {
    const int64_t steps = steps_of_an_epoch(batch);
    const Arrays x = tiled(x_, steps * batch), y = tiled(y_, steps * batch);
    model.fit(x, y, {.batch_size = batch, .epochs = 2, .verbose = 0, .shuffle = false});
    const double once =
        static_cast<double>(steps) * std::max(model.account_data().step_seconds, 1e-6);
    const auto epochs = static_cast<int64_t>(std::clamp(args_.seconds_per_trial / once, 3.0, 1e5));
    std::array<double, 3> times{};
    for (double& time : times) {
      model.fit(x, y,
                {.batch_size = batch,
                 .epochs = std::max<int64_t>(epochs / 3, 1),
                 .verbose = 0,
                 .shuffle = false});
      time = model.account_data().step_seconds;
    }
    std::ranges::sort(times);
    return times[1];
  }

  void try_sizes(Headroom& found) const {
    const int64_t most = std::min(std::max(args_.most, args_.batch_size),
                                  std::max(found.largest_batch, args_.batch_size));
    for (int64_t batch = args_.batch_size; batch <= most; batch *= 4) {
      found.sizes.push_back({batch, step_seconds(copy(), batch)});
      if (no_longer_faster(found.sizes)) break;
    }
    found.best_batch =
        std::ranges::max_element(found.sizes, {}, &Headroom::Size::samples_per_second)->batch;
  }

  // Two sizes in a row that win next to nothing: one may have been disturbed.
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

  // For the advice of the last run.
  void keep(const Headroom& found) {
    ledger::Probe& probe = model_.impl().fits.last_run.probe;
    probe = {.bfloat16 = found.bfloat16_step_seconds};
    for (const auto& [batch, seconds] : found.sizes)
      if (batch <= found.best_batch) probe.sizes.push_back({batch, seconds});
  }

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
    return Trials(model, x, y, sized).run();
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
  if (bfloat16_step_seconds > 0)
    text += fmt::format("mixed_bfloat16: {:.3f} ms a step\n", 1e3 * bfloat16_step_seconds);
  return text;
}

}  // namespace stoker
