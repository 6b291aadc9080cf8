#include <fmt/format.h>

#include <algorithm>

#include "nn/functional.h"
#include "nn/memory/auto_batch.h"
#include "nn/memory/device_of_model.h"
#include "stoker/human_bytes.h"

namespace stoker {
namespace nn {
namespace {

FitArgs fit_args(const MemoryArgs& args) {
  return {.batch_size = args.batch_size,
          .validation_split = args.validation_split,
          .validation_data = args.validation_data,
          .shuffle = args.shuffle,
          .validation_batch_size = args.validation_batch_size};
}

void check(const Model& model, const MemoryArgs& args) {
  if (!model.compiled())
    throw InvalidArgument("memory needs a compiled model.", "call compile first.");
  if (const auto bad = out_of_range(fit_args(args)))
    throw InvalidArgument(fmt::format("memory: {} {}", bad->key, bad->what));
}

// The model's inputs for a batch of two: any batch size gives the targets' shapes.
std::vector<TensorType> input_types(const Model& model) {
  const auto* network = dynamic_cast<const FunctionalNetwork*>(model.network().ptr().get());
  std::vector<TensorType> types;
  for (const Tensor& input : network ? network->inputs() : std::vector<Tensor>{}) {
    types.push_back(input.type());
    types.back().shape[0] = 2;
  }
  for (const TensorType& type : types)
    for (int64_t dim : type.shape)
      if (dim == unknown) types.clear();
  if (types.empty())
    throw InvalidArgument(
        fmt::format("memory: model \"{}\" does not know the shape of its inputs.", model.name()),
        "begin it with Input({.shape = …}), or pass the arrays: memory(x, y).");
  return types;
}

// Class indices, or the prediction's type, depending on the loss.
TensorType target_type(const LossRef& loss, TensorType predicted) {
  if (!loss.defined() || loss->label_classes(predicted) == 0) return predicted;
  const auto& dims = predicted.shape.dims();
  return {DType::int32, Shape(std::vector<int64_t>(dims.begin(), dims.end() - 1))};
}

}  // namespace

FitTypes described_types(Model& model, bool shuffle, const device::Device& device) {
  FitTypes data{.train = {.columns = input_types(model)}};
  auto& [plan, layout, validation, validation_batch, resident] = data;
  plan.copies = device.describe().copies_inputs != 0;
  plan.gathers = layout.gathers = shuffle;
  layout.x = plan.columns.size();
  const graph::Graph forward = exec::trace(
      [&](const std::vector<Tensor>& x) { return model.network().call_all(x, {}); }, plan.columns);
  const auto settings = output_settings(*model.impl().compiled.args,
                                        output_names(*model.network(), forward.outputs.size()));
  for (graph::ValueId output : forward.outputs)
    plan.columns.push_back(target_type(settings[layout.y++].loss, forward.type(output)));
  layout.weighted.resize(layout.y);
  return data;
}

namespace {

int64_t batch_of(Model& model, const FitTypes& data, const MemoryArgs& args) {
  if (args.batch_size == AUTO) return choose_batch(model, data, args.recompute).size;
  // A batch size above the number of samples means all samples, as in fit.
  return data.train.samples > 0 ? std::min(args.batch_size, data.train.samples) : args.batch_size;
}

MemoryForecast forecast(Model& model, const FitTypes& data, const MemoryArgs& args) {
  const int64_t batch = batch_of(model, data, args);
  const int64_t most = data.train.samples > 0 ? data.train.samples : largest_thinkable_batch;
  const Forecaster forecaster(model, data);
  MemoryForecast result = forecaster.forecast(batch, args.recompute, Forecaster::Steps::all);
  result.largest_batch = forecaster.largest_batch(batch, args.recompute, {most});
  result.holders = device::current_device("memory").memory_holders();
  return result;
}

std::string what_fits(const MemoryForecast& at) {
  if (at.largest_batch == 0) return "not even a batch of 1 fits";
  if (at.largest_batch == at.samples)
    return fmt::format("all {} samples fit in one batch", at.samples);
  if (at.fits()) return fmt::format("the largest batch that fits is {}", at.largest_batch);
  return fmt::format("a batch of {} does not fit; the largest that fits is {}", at.batch_size,
                     at.largest_batch);
}

}  // namespace
}  // namespace nn

MemoryForecast Model::memory(const MemoryArgs& args) {
  nn::check(*this, args);
  const device::Scope scope(nn::device_of(*this, "memory"));
  return nn::forecast(*this, nn::described_types(*this, args.shuffle, scope.device()), args);
}

MemoryForecast Model::memory(const Arrays& x, const Arrays& y, const MemoryArgs& args) {
  nn::check(*this, args);
  const device::Scope scope(nn::device_of(*this, "memory"));
  nn::FitTypes data =
      nn::types_of(nn::make_fit_data(*this, x, y, nn::fit_args(args), "memory"), scope.device());
  data.validation_batch = args.validation_batch_size;
  return nn::forecast(*this, data, args);
}

std::string MemoryForecast::to_string() const {
  std::string text = fmt::format("A training step of {} samples on {}{}:\n", batch_size, device,
                                 recomputes ? ", activations computed again" : "");
  const auto row = [&](const char* what, int64_t bytes) {
    text += fmt::format("  {:<12} {:>12}\n", what, human_bytes(bytes));
  };
  row("parameters", parameters);
  row("gradients", gradients);
  row("optimizer", optimizer);
  row("activations", activations);
  row("workspace", workspace);
  row("inputs", inputs);
  row("other", other);
  row("context", context);
  row("total", total());
  text +=
      fmt::format("{} of {} are free{}{}; {}.", human_bytes(device_free), human_bytes(device_total),
                  largest_piece < device_free
                      ? fmt::format(", {} of it in one piece", human_bytes(largest_piece))
                      : "",
                  holders.empty() ? "" : fmt::format(" ({})", holders), nn::what_fits(*this));
  return text;
}

}  // namespace stoker
