#include "distribution/collectives.h"
#include "distribution/slice.h"
#include "stoker/distribution.h"

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
DataParallel::RunScope::RunScope(const DistributedBatch& batch)
    : impl_(new Impl{SliceScope(division().of(batch.rows))}) {}
DataParallel::RunScope::~RunScope() = default;

Array DataParallel::reduce(ReduceOp op, const Tensor& value) const {
  Array sum = value.array().clone();
  collectives().all_reduce(sum.raw(), sum.mutable_raw(), sum.size(),
                           static_cast<int32_t>(sum.dtype()));
  if (op == ReduceOp::SUM || num_processes() == 1) return sum;
  return (Tensor(sum) / static_cast<double>(num_processes())).array();
}

}  // namespace stoker::distribution
