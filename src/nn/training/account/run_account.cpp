#include "nn/training/account/run_account.h"

#include <filesystem>

#include "nn/callbacks/callback_list.h"
#include "nn/callbacks/callback_name.h"
#include "nn/profile/step_work.h"

namespace stoker::nn {
namespace {

using ledger::Activity;

bool is_product(const std::string& op) {
  return op.find("matmul") != op.npos || op.find("conv") != op.npos ||
         op.find("dense") != op.npos || op.find("attention") != op.npos;
}

// "model/dense_1/host_call" → the source location where dense_1 was created.
std::string place_of_layer(const Model& model, const std::string& scope) {
  for (const LayerRef& layer : model.layers())
    if (scope.find("/" + layer->name()) != scope.npos) return to_string(layer->created());
  return scope;
}

// A FitArgs constructed without braces knows only its own header.
std::string place_of(const std::source_location& called) {
  const std::string file = called.file_name();
  const bool own = file.ends_with("stoker/model.h") || file.find("src/recipe/") != file.npos;
  return own ? "" : to_string(called);
}

void add_memory(const device::Device& device, ledger::RunFacts& facts) {
  if (device.is_host()) return;
  const StokerDevice described = device.describe();
  facts.memory = static_cast<int64_t>(described.memory);
  facts.memory_used = facts.memory - static_cast<int64_t>(described.memory_free);
}

}  // namespace

ledger::RunFacts facts_of(const char* run, const StepLoop& loop, const ledger::Ledger& ledger,
                          ledger::Time now) {
  ledger::RunFacts facts{
      .run = run,
      .wall = ledger.wall_until(now),
      .host = ledger.totals_until(now),
      .wall_before = ledger.wall_before_steps(),
      .host_before = ledger.totals_before_steps(),
      .stamps = 2 * ledger.events(),
      .steps = loop.done(),
      .samples = loop.samples(),
      .late_compiles = ledger.count(Activity::compile) - ledger.compiled_before_steps(),
      .batch_hooks = loop.hooks_called()};
  if (loop.clock()) {
    facts.measured = loop.clock()->until(now);
    facts.marks = loop.clock()->marks();
  }
  facts.samples_per_second = ledger::samples_per_second(facts);
  return facts;
}

ledger::RunFacts facts_of_inference(const char* run, const Model& model, const StepLoop& loop,
                                    const data::Feed& feed, ledger::Ledger& ledger) {
  const ledger::Scope booked(ledger, Activity::setup);
  constexpr ledger::Time short_run = 1'000'000;  // predict_on_batch should stay fast
  ledger::RunFacts facts = facts_of(run, loop, ledger, ledger::now());
  facts.batch_size = feed.batch_size();
  facts.device = loop.first_step()->device().name();
  if (facts.wall < short_run) return facts;
  facts.input = feed.statistics();
  add_step(model, *loop.first_step(), facts);
  if (facts.wall >= worth_a_screen) add_work(*loop.first_step(), facts.work);
  return facts;
}

void compile_first(StepLoop& loop, const data::Feed& feed, ledger::Ledger* ledger) {
  std::optional<ledger::Scope> scope;
  if (ledger) scope.emplace(*ledger, Activity::compile);
  loop.step_of(feed.rows());
}

void add_step(const Model& model, const exec::CompiledStep& step, ledger::RunFacts& facts) {
  const device::Device& device = step.device();
  facts.device = device.name();
  facts.device_name = device.describe().name;
  facts.on_host = device.is_host();
  facts.calls = static_cast<int64_t>(step.graph().nodes.size());
  const LayerRef& network = model.network();
  facts.float16 = network.ptr() && network->compute_dtype() == DType::float16;
  double all = 0, products = 0;
  for (const graph::Node& node : step.graph().nodes) {
    const double flops = step.graph().cost(node).flops;
    all += flops;
    if (is_product(node.op->name)) products += flops;
    if (node.op->name == "host_call")
      facts.places.host_function = place_of_layer(model, node.scope);
  }
  if (all > 0) facts.matmul_share = products / all;
  add_memory(device, facts);
}

void add_places(const CallbackList& callbacks, const std::source_location& called,
                ledger::Places& places) {
  places.fit = places.batch_size = places.checkpoint = places.callback = place_of(called);
  if (const Callback* slowest = callbacks.slowest()) places.callback_name = name_of(*slowest);
}

void use_keys(const ledger::Places& keys, ledger::Places& places) {
  const std::string callback = places.callback_name, function = places.host_function;
  places = keys;
  places.callback_name = callback;
  places.host_function = function;
}

}  // namespace stoker::nn
