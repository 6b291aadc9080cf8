#pragma once
#include "data/feed.h"
#include "exec/compiled_step.h"

// A feed is not trusted: what it gives is read by kernels that check nothing.
namespace stoker::nn {

// Throw Internal for a batch that is not what the feed announced, or not what was asked for.
void check_batch(const data::FeedPlan& plan, const data::Batch& batch, int64_t batch_size,
                 int64_t most);
void check_types(const data::Batch& batch, const exec::CompiledStep& step);

// Throw InvalidArgument where the data is not what it was in the epoch before, or ends too early or
// too late after so many batches.
void check_plan(const data::FeedPlan& before, const data::FeedPlan& now);
void check_end(data::Feed& feed, int64_t batches);

}  // namespace stoker::nn
