#include "data_pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "stoker/interrupt.h"
#include "stoker/progress_line.h"

namespace stoker::cli {
namespace {

int64_t bytes_of(const Element& element) {
  int64_t bytes = 0;
  for (const Array& array : element.arrays()) {
    if (!array.holds_strings()) bytes += static_cast<int64_t>(array.bytes());
    for (int64_t i = 0; array.holds_strings() && i < array.size(); ++i)
      bytes += static_cast<int64_t>(array.text(i).size());
  }
  return bytes;
}

void count_classes(const Element& element, DataPass& pass) {
  if (pass.of_class.empty() || element.arrays().size() < 2) return;
  const Array& labels = element.arrays().back();
  for (int64_t i = 0; i < labels.size(); ++i) {
    const double label = labels.at(i);
    if (!(label >= 0))
      throw InvalidArgument(
          fmt::format("a sample has the label {}, but classes count from 0.", label));
    if (label < static_cast<double>(pass.of_class.size()))
      ++pass.of_class[static_cast<size_t>(label)];
  }
}

void join(Shape& all, const Shape& one) {
  if (all.rank() != one.rank()) return;
  for (int i = 0; i < all.rank(); ++i)
    if (all[i] != one[i]) all[i] = unknown;
}

void add_shapes(const Element& element, bool batched, DataPass& pass) {
  const ElementSpec spec = spec_of(element);
  const Shape sample = batched ? spec.arrays[0].shape.drop_front() : spec.arrays[0].shape;
  if (pass.samples == 0) {
    pass.spec = spec;
    pass.least = pass.most = sample;
  }
  for (size_t i = 0; i < spec.arrays.size() && i < pass.spec.arrays.size(); ++i)
    join(pass.spec.arrays[i].shape, spec.arrays[i].shape);
  for (int i = 0; i < sample.rank() && sample.rank() == pass.least.rank(); ++i) {
    pass.least[i] = std::min(pass.least[i], sample[i]);
    pass.most[i] = std::max(pass.most[i], sample[i]);
  }
}

}  // namespace

DataPass read_first(const OpenedDataset& opened, bool batched, const DataPass::Limits& limits) {
  using Clock = std::chrono::steady_clock;
  DataPass pass;
  pass.of_class.resize(opened.class_names.size());
  const InterruptScope interrupts;
  ProgressLine line("reading", -1);
  const auto begin = Clock::now();
  for (const Element& element : opened.dataset) {
    add_shapes(element, batched, pass);
    count_classes(element, pass);
    pass.samples += batched ? element.arrays().at(0).length() : 1;
    pass.bytes += bytes_of(element);
    pass.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    line.show(pass.samples);
    pass.whole = !interrupted() && pass.samples < limits.samples && pass.seconds < limits.seconds;
    if (!pass.whole) break;
  }
  pass.stages = opened.dataset.statistics();
  return pass;
}

}  // namespace stoker::cli
