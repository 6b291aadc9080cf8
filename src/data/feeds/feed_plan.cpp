#include "data/feeds/feed_plan.h"

#include <algorithm>
#include <bit>

#include "core/round_up.h"

namespace stoker::data {
namespace {

// Per sample if shuffled: the permutations of the previous epoch, which the device may still be
// reading, of this one and of the next.
constexpr int64_t order_bytes = 3 * sizeof(int64_t);

constexpr int64_t number_bytes = sizeof(int64_t);  // index of a row that the device gathers

// The address of each input, on a device that copies inputs.
constexpr int64_t address_bytes = 16;

// Of batches that share a slot: enough that all cores gather them, and a copy has its full rate.
constexpr int64_t most_shared_bytes = int64_t{16} << 20, most_at_once = 64;

int64_t bytes_of_rows(const std::vector<TensorType>& columns, int64_t rows) {
  int64_t sum = 0;
  for (TensorType column : columns) {
    column.shape[0] = rows;
    sum += column.bytes();
  }
  return sum;
}

}  // namespace

FeedPlan FeedPlan::placed(int64_t free) const {
  FeedPlan plan = *this;
  if (!may_stay) return plan;
  plan.streams = bytes_of_rows(columns, samples) > free / 2;
  plan.gathers = shuffles && !plan.streams;
  plan.slot_bytes = plan.streams ? std::min(most_shared_bytes, free / 16) : 0;
  return plan;
}

std::vector<TensorType> FeedPlan::inputs(int64_t rows) const {
  std::vector<TensorType> types;
  const int64_t here = slice(rows).here;
  if (gathers) types.push_back({DType::int64, Shape{here}});
  for (TensorType column : columns) {
    column.shape[0] = gathers ? unknown : here;
    types.push_back(std::move(column));
  }
  return types;
}

int64_t FeedPlan::rows(int64_t batch_size) const {
  return samples == 0 ? batch_size : std::min(batch_size, samples);
}

int64_t FeedPlan::last_rows(int64_t batch_size) const {
  return samples > batch_size ? samples % batch_size : 0;
}

int64_t FeedPlan::batches(int64_t batch_size) const {
  return known_batches > 0 ? known_batches : ceil_div(samples, batch_size);
}

int64_t FeedPlan::bytes_of_batch() const { return bytes_of_rows(columns, own_batch_size); }

int64_t FeedPlan::steps(int64_t batch_size) const { return last_rows(batch_size) > 0 ? 2 : 1; }

int64_t FeedPlan::held_bytes(int64_t batch_size) const {
  if (streams) {
    const int64_t held = slots * batches_at_once(batch_size), of_batch = rows(batch_size);
    return kept_bytes +
           held * (bytes_of_rows(columns, of_batch) + (reads_host ? of_batch * number_bytes : 0));
  }
  const int64_t held = samples == 0 ? rows(batch_size) : samples;
  return bytes_of_rows(columns, held) + (gathers ? held * order_bytes : 0);
}

// Small batches are sent together, as the host has little time for each. A device runs powers of
// two.
int64_t FeedPlan::batches_at_once(int64_t batch_size) const {
  if (!streams || slot_bytes == 0) return 1;
  const int64_t bytes = std::max<int64_t>(1, bytes_of_rows(columns, rows(batch_size)));
  const int64_t most = std::min({slot_bytes / bytes, samples / rows(batch_size), most_at_once});
  return most < 1 ? 1 : static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(most)));
}

// A batch that was sent alone, or is the only one, is read in place; a gathering step reads all
// samples in place, but not their indices.
int64_t FeedPlan::copied_bytes(int64_t batch_size) const {
  const bool single = !gathers && samples > 0 && samples <= batch_size;
  if (!copies || single || (streams && !keeps && batches_at_once(batch_size) == 1)) return 0;
  const int64_t copied = rows(batch_size) + last_rows(batch_size);
  const auto inputs_of_step = static_cast<int64_t>(columns.size()) + (gathers ? 1 : 0);
  return (gathers ? copied * static_cast<int64_t>(sizeof(int64_t))
                  : bytes_of_rows(columns, copied)) +
         steps(batch_size) * inputs_of_step * address_bytes;
}

}  // namespace stoker::data
