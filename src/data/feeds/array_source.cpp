#include "data/feeds/array_source.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "data/feeds/array_feed.h"
#include "device/host_rows.h"

namespace stoker::data {
namespace {

// Can the device gather rows of a table of this type and any length?
bool can_gather(const device::Device& device, const TensorType& column) {
  const int64_t one = 1;
  Shape table = column.shape, row = column.shape;
  table[0] = unknown;
  row[0] = one;
  const auto dtype = static_cast<int32_t>(column.dtype);
  const StokerTensor inputs[] = {{dtype, table.rank(), table.dims().data()},
                                 {static_cast<int32_t>(DType::int64), 1, &one}};
  const StokerTensor output{dtype, row.rank(), row.dims().data()};
  const StokerNode gather{"gather", inputs, &output, nullptr, 2, 1, 0};
  StokerPlan plan{};
  if (device.table().plan(device.index, &gather, &plan) != 0) return false;
  device.table().release_kernel(plan.kernel);
  return true;
}

// Are the rows large enough for efficient reads over the bus?
bool crosses_bus_well(const Array& column) {
  constexpr size_t unit = 16, few = 64;
  return column.row_bytes() % unit == 0 || column.row_bytes() <= few;
}

// Only if the environment variable requests it: on an H200 steps are slower while such a
// gather runs than with batches that the host gathers and sends (bench/notes.md).
bool asked_to_gather() {
  const char* const asked = std::getenv("STOKER_GPU_GATHERS");
  return asked && std::string_view(asked) == "1";
}

// Batches that the device cannot gather are gathered on the host and sent.
FeedPlan without_gathers(FeedPlan plan, const device::Device& device) {
  if (!plan.gathers || std::ranges::all_of(plan.columns, [&](const TensorType& column) {
        return can_gather(device, column);
      }))
    return plan;
  plan.gathers = false;
  plan.streams = true;
  return plan;
}

}  // namespace

FeedPlan ArraySource::whole() const {
  FeedPlan plan{.samples = columns.at(0).length(), .shuffles = shuffle, .may_stay = true};
  for (const Array& column : columns) plan.columns.push_back(column.type());
  return plan.placed(std::numeric_limits<int64_t>::max());
}

FeedPlan ArraySource::plan(const device::Device& device, int64_t beside) const {
  FeedPlan plan = whole();
  if (!device.is_host())
    plan = without_gathers(plan.placed(device.free_memory().largest_piece - beside), device);
  plan.copies = device.describe().copies_inputs != 0;
  plan.reads_host = plan.streams && shuffle && asked_to_gather() &&
                    device::HostRows::possible(device) &&
                    std::ranges::all_of(columns, crosses_bus_well);
  return plan;
}

std::unique_ptr<Feed> ArraySource::open(const FeedPlan& plan, const device::Device& device,
                                        const FeedOptions& options) const {
  return std::make_unique<ArrayFeed>(*this, plan, device, options);
}

}  // namespace stoker::data
