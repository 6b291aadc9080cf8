#include "distribution/collectives.h"
#include "distribution/slice.h"
#include "stoker/distribution.h"
#include "stoker/ops/reduce.h"

namespace stoker::distribution {
namespace {

int64_t rows_of(const Element& batch) {
  if (batch.arrays().empty() || batch.arrays()[0].shape().rank() == 0)
    throw InvalidArgument("an element of the distributed dataset is not a batch of samples.",
                          "end the dataset with batch.");
  return batch.arrays()[0].length();
}

}  // namespace

DistributedBatch DistributedDataset::Iterator::operator*() const {
  DistributedBatch batch{*at_, rows_of(*at_)};
  const Slice slice = division().of(batch.rows);
  for (Array& array : batch.element.arrays())
    array = array.rows(slice.first, slice.first + slice.here);
  return batch;
}

struct DataParallel::RunScope::Impl {
  SliceScope slice;
};
DataParallel::RunScope::RunScope(const DistributedBatch& batch, int64_t step)
    : impl_(new Impl{SliceScope(division().of(batch.rows))}) {
  collectives().set_step(step);
}
DataParallel::RunScope::~RunScope() = default;

Tensor DataParallel::note(const DistributedBatch& batch, const Tensor& result) const {
  whole_ = division().of(batch.rows).is_whole() ? result : Tensor();
  return result;
}

Array DataParallel::reduce(ReduceOp op, const Tensor& value, std::optional<int64_t> axis) const {
  const Tensor part = axis ? ops::sum(value, {.axis = {*axis}}) : value;
  int64_t count = axis ? value.shape()[normalize_axis(*axis, value.shape().rank())] : 1;
  Array sum = part.array().clone();
  if (!whole_.defined() || value.id() != whole_.id()) {
    collectives().all_reduce(sum.raw(), sum.mutable_raw(), sum.size(),
                             static_cast<int32_t>(sum.dtype()));
    collectives().all_reduce(&count, &count, 1, static_cast<int32_t>(DType::int64));
  }
  if (op == ReduceOp::SUM || count == 1) return sum;
  return (Tensor(sum) / static_cast<double>(count)).array();
}

}  // namespace stoker::distribution
