#pragma once
#include "data/feeds/feed.h"
#include "exec/compiled_step.h"

// A feed is not trusted: its batches are read by kernels without checks.
namespace stoker::nn {

// Throw Internal for a batch that differs from what the feed announced, or from what was requested.
void check_batch(const data::FeedPlan& plan, const data::Batch& batch, int64_t batch_size,
                 int64_t most);
void check_types(const data::Batch& batch, const exec::CompiledStep& step);

// Throw InvalidArgument if the data differs from the previous epoch's, or ends too early or too
// late.
void check_plan(const data::FeedPlan& before, const data::FeedPlan& now);
void check_end(data::Feed& feed, int64_t batches);

}  // namespace stoker::nn
