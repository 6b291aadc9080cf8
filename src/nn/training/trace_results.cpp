#include "nn/training/trace_results.h"

#include "nn/model_impl.h"

namespace stoker::nn {
namespace {

thread_local TraceElsewhere* innermost = nullptr;

}  // namespace

TraceResults& trace_results(Model::Impl& impl) {
  for (TraceElsewhere* scope = innermost; scope; scope = scope->outer_)
    if (&scope->impl_ == &impl) return scope->results_;
  return impl.traced;
}

TraceElsewhere::TraceElsewhere(Model& model)
    : impl_(model.impl()), results_(trace_results(model)), outer_(innermost) {
  innermost = this;
}
TraceElsewhere::~TraceElsewhere() { innermost = outer_; }

}  // namespace stoker::nn
