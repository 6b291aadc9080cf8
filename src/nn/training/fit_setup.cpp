#include "nn/training/fit_setup.h"

#include <fmt/format.h>

#include "device/scope.h"
#include "distribution/collectives.h"
#include "nn/memory/auto_batch.h"
#include "nn/memory/memory_refusal.h"
#include "nn/training/batch_step.h"
#include "nn/training/inputs/limits.h"
#include "nn/training/ranks/placement.h"
#include "stoker/say.h"

namespace stoker::nn {

FitSetup::FitSetup(Model& model, FitData data, const FitArgs& args, Session& session)
    : model_(model), args_(args), data_(std::move(data)) {
  if (const auto& called = data_.train.called)
    session.ledger.began_earlier(*called, ledger::Activity::setup);
  const ledger::Scope scope(session.ledger, ledger::Activity::setup);
  const device::Device device = device::current_device("fit");
  types_ = types_of(data_, device);
  types_.train = placed_together(types_.train, device.is_host());
  types_.layout.gathers = types_.train.gathers;
  types_.validation_batch = args.validation_batch_size;
  refuse_endless(types_.train, args.steps_per_epoch, "fit", "steps_per_epoch");
  if (types_.validation)
    refuse_endless(*types_.validation, args.validation_steps, "fit's validation",
                   "validation_steps");
  args_.batch_size = types_.train.batch_size(args_.batch_size);
  if (args_.batch_size == AUTO) choose_batch_size();
  feed_ = data_.train.source->open(types_.train, device,
                                   {.batch_size = args_.batch_size,
                                    .seed = session.seed,
                                    .what = "the training data",
                                    .trains = true,
                                    .steps_per_epoch = args.steps_per_epoch,
                                    .ledger = &session.ledger});
}

void FitSetup::close() {
  statistics_ = feed_->statistics();
  feed_.reset();
  validation_feed_.reset();
}

void FitSetup::choose_batch_size() {
  const ChosenBatch chosen = choose_batch(model_, types_, args_.recompute);
  args_.batch_size = distribution::from_first(chosen.size);
  if (args_.verbose > 0)
    say(stdout, fmt::format("batch_size {}: {}.\n", chosen.size, chosen.reason));
}

void FitSetup::compile(StepLoop& loop) {
  more_steps_ = types_.steps(args_.batch_size);
  full_step_ = step_of(feed_->rows(), feed_->inputs(feed_->rows()));
  loop.use(feed_->rows(), full_step_);
  if (args_.recompute.if_needed() && full_step_->plan().recomputes && args_.verbose > 0)
    say(stdout, "recompute: activations are computed again, as the step does not fit otherwise.\n");
  check_values(model_, data_.train, *feed_);
  if (const int64_t rest = feed_->plan().last_rows(args_.batch_size)) {
    last_step_ = step_of(rest, feed_->inputs(rest));
    loop.use(rest, last_step_);
  }
  if (data_.validation) compile_validation();
}

void FitSetup::compile_validation() {
  try {
    const data::FeedPlan& plan = *types_.validation;
    const int64_t batch = types_.batch_of_validation(args_.batch_size),
                  rest = plan.last_rows(batch), steps = args_.validation_steps;
    compile_test(plan.rows(batch));
    if (rest > 0 && (steps == 0 || steps >= plan.batches(batch))) compile_test(rest);
    // After all steps have allocated their memory: does all of the data fit?
    const device::Device& device = full_step_->device();
    const data::FeedSource& source = *data_.validation->source;
    types_.validation =
        placed_together(divided(source.plan(device, bytes_to_upload())), device.is_host());
    validation_feed_ = source.open(*types_.validation, device,
                                   {.batch_size = batch, .what = "the validation data"});
    check_values(model_, *data_.validation, *validation_feed_);
  } catch (Error& error) {
    error.add_where("the validation data");
    throw;
  }
}

void FitSetup::compile_test(int64_t rows) {
  test_steps_.push_back(step_for(
      model_, Phase::test, data_.validation->layout.of(types_.validation->slice(rows)),
      types_.validation->inputs(rows), {.reserve = reserve(), .more_steps = --more_steps_}));
}

exec::StepRef FitSetup::step_of(int64_t rows, const std::vector<TensorType>& inputs) {
  const auto types = [&] {
    FitTypes of_this = types_;
    if (types_.train.varies) of_this.train.columns = inputs;
    return of_this;
  };
  return train_step_for(model_, types_.layout.of(feed_->plan().slice(rows)), inputs, types,
                        {args_.recompute, reserve(), std::max<int64_t>(--more_steps_, 0)});
}

// Device memory that the data will need once the steps are compiled.
int64_t FitSetup::reserve() const {
  const int64_t training = feed_->bytes_to_upload();
  if (training == 0) return 0;
  return training + types_.train.copied_bytes(args_.batch_size) +
         types_.validation_bytes(args_.batch_size);
}

int64_t FitSetup::bytes_to_upload() const {
  return feed_->bytes_to_upload() + types_.copied_bytes(args_.batch_size) +
         (validation_feed_ ? validation_feed_->bytes_to_upload() : 0);
}

std::vector<exec::StepRef> FitSetup::training_steps() const {
  std::vector<exec::StepRef> steps{full_step_};
  if (last_step_) steps.push_back(last_step_);
  return steps;
}

exec::States FitSetup::states() const {
  exec::States states;
  for (const exec::StepRef& step : training_steps())
    for (const auto& use : step->graph().states) states.push_back(use.state);
  return states;
}

}  // namespace stoker::nn
