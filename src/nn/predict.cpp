#include <fmt/format.h>

#include "nn/batch_step.h"
#include "nn/callback_list.h"
#include "nn/device_of_model.h"
#include "nn/fit_data.h"
#include "nn/progress.h"
#include "nn/test_loop.h"

namespace stoker {
namespace {

// Where the batches' outputs become whole arrays: on a device with memory of its own they are
// gathered there and fetched at the end, so that no batch waits for the host.
class Predictions {
 public:
  Predictions(const device::Device& device, int64_t samples) : device_(device), samples_(samples) {}

  void take(const exec::CompiledStep& step, const data::ArrayFeeder::Batch& batch) {
    for (size_t i = 0; i < step.num_outputs(); ++i) {
      if (results_.size() <= i) add(step.output_type(i), batch.rows, i);
      const auto bytes = static_cast<uint64_t>(step.output_type(i).bytes());
      const size_t at = static_cast<size_t>(batch.first) * results_[i].row_bytes();
      const bool stays = gathered_[i].defined();
      std::byte* to = stays ? static_cast<std::byte*>(gathered_[i].data()) + at
                            : results_[i].mutable_raw() + at;
      device::check(device_,
                    device_.table().copy(device_.index, to, step.output_data(i), bytes,
                                         stays ? stoker_device_to_device : stoker_device_to_host),
                    "collecting predictions");
    }
  }

  std::vector<Array> finish() {
    for (size_t i = 0; i < results_.size(); ++i)
      if (gathered_[i].defined())
        gathered_[i].download(results_[i].mutable_raw(), results_[i].bytes());
    return std::move(results_);
  }

 private:
  void add(const TensorType& type, int64_t rows, size_t output) {
    Shape shape = type.shape;
    if (shape.rank() == 0 || shape[0] != rows)
      throw InvalidArgument(fmt::format("predict: output {} of shape {} has no row per sample.",
                                        output, to_string(shape)));
    shape[0] = samples_;
    results_.emplace_back(type.dtype, shape);
    const auto bytes = static_cast<int64_t>(results_.back().bytes());
    const bool fits = bytes < device_.free_memory().largest_piece / 4;
    gathered_.push_back(device_.is_host() || !fits
                            ? device::Buffer()
                            : device::Buffer(device_, results_.back().bytes(), "predictions"));
  }

  device::Device device_;
  int64_t samples_;
  std::vector<Array> results_;
  std::vector<device::Buffer> gathered_;
};

}  // namespace

std::vector<Array> Model::predict_all(const Arrays& x, const PredictArgs& args) {
  nn::check_range(args.batch_size, args.steps, "predict");
  const auto columns = nn::make_columns({x, {}, {}, {}}, "predict");
  const device::Scope scope(nn::device_of(*this, "predict"));
  data::ArrayFeeder feeder(columns.arrays, device::current_device("predict"),
                           {.batch_size = args.batch_size});
  const int64_t steps = args.steps ? std::min(args.steps, feeder.batches()) : feeder.batches();
  const int64_t samples = std::min(columns.samples(), steps * args.batch_size);
  ledger::Ledger ledger;
  nn::CallbackList callbacks(args.callbacks, *this, {.steps = steps, .verbose = args.verbose},
                             ledger);
  nn::Progress progress(args.verbose, steps);
  progress.begin();
  nn::clear_interrupt();
  callbacks.call(&Callback::on_predict_begin, Logs());
  feeder.start_epoch(0);
  Predictions predictions(device::current_device("predict"), samples);
  data::ArrayFeeder::Batch batch;
  for (int64_t done = 0; done < steps && feeder.next(batch); ++done) {
    auto& step =
        nn::step_for(*this, Phase::predict, columns.layout, feeder.input_types(batch.rows));
    callbacks.call(&Callback::on_predict_batch_begin, done, Logs());
    step.run_steps(batch.run());
    predictions.take(step, batch);
    callbacks.call(&Callback::on_predict_batch_end, done, Logs());
    if (progress.due(ledger::now())) progress.draw(done + 1, {});
    if (nn::interrupted()) throw InvalidArgument("predict was interrupted.");
  }
  std::vector<Array> results = predictions.finish();
  callbacks.call(&Callback::on_predict_end, Logs());
  progress.finish(steps, {});
  return results;
}

Array Model::predict(const Arrays& x, const PredictArgs& args) {
  auto results = predict_all(x, args);
  if (results.size() != 1)
    throw InvalidArgument(fmt::format("model \"{}\" has {} outputs.", name(), results.size()),
                          "use predict_all.");
  return results[0];
}

Array Model::predict_on_batch(const Arrays& x) {
  if (x.empty()) throw InvalidArgument("predict_on_batch: x is missing.");
  return predict(x, {.batch_size = std::max<int64_t>(x[0].length(), 1)});
}

}  // namespace stoker
