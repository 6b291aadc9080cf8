#include <fmt/format.h>

#include <cstring>

#include "nn/batch_step.h"
#include "nn/callback_list.h"
#include "nn/device_of_model.h"
#include "nn/fit_data.h"
#include "nn/progress.h"
#include "nn/test_loop.h"

namespace stoker {
namespace {

// Each batch's outputs go straight into their rows of the result.
void collect(const exec::CompiledStep& step, const data::ArrayFeeder::Batch& batch, int64_t samples,
             std::vector<Array>& results) {
  for (size_t i = 0; i < step.num_outputs(); ++i) {
    if (results.size() <= i) {
      Shape shape = step.output_type(i).shape;
      if (shape.rank() == 0 || shape[0] != batch.rows)
        throw InvalidArgument(fmt::format("predict: output {} of shape {} has no row per sample.",
                                          i, to_string(shape)));
      shape[0] = samples;
      results.emplace_back(step.output_type(i).dtype, shape);
    }
    const Array rows = step.output(i);
    std::memcpy(
        results[i].mutable_raw() + static_cast<size_t>(batch.first) * results[i].row_bytes(),
        rows.raw(), rows.bytes());
  }
}

}  // namespace

std::vector<Array> Model::predict_all(const Arrays& x, const PredictArgs& args) {
  if (args.batch_size <= 0) throw InvalidArgument("predict: batch_size must be positive.");
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
  std::vector<Array> results;
  data::ArrayFeeder::Batch batch;
  for (int64_t done = 0; done < steps && feeder.next(batch); ++done) {
    auto& step =
        nn::step_for(*this, Phase::predict, columns.layout, feeder.input_types(batch.rows));
    callbacks.call(&Callback::on_predict_batch_begin, done, Logs());
    step.run(batch.inputs);
    collect(step, batch, samples, results);
    callbacks.call(&Callback::on_predict_batch_end, done, Logs());
    if (progress.due(ledger::now())) progress.draw(done + 1, {});
    if (nn::interrupted()) throw InvalidArgument("predict was interrupted.");
  }
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
