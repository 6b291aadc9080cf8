#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/round_up.h"
#include "data/origins.h"
#include "stoker/timeseries_dataset.h"

namespace stoker::data {
namespace {

struct SequenceForm {
  int64_t first, length, stride, rate, count;
};

// Sequences of steps with their targets, copied on demand.
class Sequences : public Indexed {
 public:
  Sequences(Array data, Array targets, const SequenceForm& form)
      : data_(std::move(data)), targets_(std::move(targets)), form_(form) {
    spec_.arrays.push_back({data_.dtype(), data_.shape().drop_front().with_front(form_.length)});
    if (!targets_.defined()) return;
    spec_.structure = Structure::tuple({{}, {}});
    spec_.arrays.push_back({targets_.dtype(), targets_.shape().drop_front()});
  }
  int64_t size() const override { return form_.count; }
  const ElementSpec* writes() const override { return &spec_; }
  void write(int64_t i, const std::vector<std::byte*>& to) const override {
    const int64_t first = form_.first + i * form_.stride;
    for (int64_t k = 0; k < form_.length; ++k)
      copy_row(data_, first + k * form_.rate, to[0] + static_cast<size_t>(k) * data_.row_bytes());
    if (targets_.defined()) copy_row(targets_, first, to[1]);
  }

 private:
  static void copy_row(const Array& from, int64_t row, std::byte* to) {
    std::memcpy(to, from.raw() + static_cast<size_t>(row) * from.row_bytes(), from.row_bytes());
  }

  Array data_, targets_;
  SequenceForm form_;
  ElementSpec spec_;
};

class Timeseries : public Stage {
 public:
  Timeseries(const Array& data, const Array& targets, const SequenceForm& form,
             const std::source_location& created)
      : Stage("timeseries_dataset_from_array", created),
        sequences_(std::make_shared<Sequences>(data, targets, form)) {}
  int64_t cardinality() const override { return sequences_->size(); }
  std::shared_ptr<const Indexed> index(const Opening& opening) const override {
    return opening.numbers_only ? numbered(*this, sequences_) : sequences_;
  }
  std::optional<ElementSpec> spec() const override { return *sequences_->writes(); }

 private:
  std::shared_ptr<const Sequences> sequences_;
};

void check_series(const Array& data, const Array& targets) {
  for (const Array* array : {&data, &targets}) {
    if (!array->defined() && array == &targets) continue;
    if (!array->defined() || array->shape().rank() == 0 || array->holds_strings())
      throw InvalidArgument(
          fmt::format("timeseries_dataset_from_array: {} must be an array of numbers whose rows "
                      "are the steps, got {}.",
                      array == &data ? "data" : "targets",
                      array->defined() ? to_string(spec_of(*array)) : "an undefined array"));
  }
}

[[noreturn]] void refuse_number(const char* argument, int64_t got, int64_t least, int64_t most) {
  throw InvalidArgument(
      fmt::format("timeseries_dataset_from_array: {} must be in [{}, {}], got {}.", argument, least,
                  most, got));
}

SequenceForm form_of_sequences(const Array& data, const Array& targets, int64_t length,
                               const TimeseriesDatasetArgs& args) {
  check_series(data, targets);
  const int64_t steps = data.length();
  const int64_t first = args.start_index.value_or(0), end = args.end_index.value_or(steps);
  const auto within = [](const char* argument, int64_t got, int64_t least, int64_t most) {
    if (got < least || got > most) refuse_number(argument, got, least, most);
  };
  within("start_index", first, 0, std::max<int64_t>(0, steps - 1));
  within("end_index", end, first, steps);
  within("sampling_rate", args.sampling_rate, 1, std::max<int64_t>(1, steps - 1));
  within("sequence_length", length, 1,
         std::max<int64_t>(1, (end - first - 1) / args.sampling_rate + 1));
  within("sequence_stride", args.sequence_stride, 1, std::max<int64_t>(1, steps - 1));
  int64_t starts = end - first - (length - 1) * args.sampling_rate;
  if (targets.defined()) starts = std::min(starts, targets.length() - first);
  const int64_t stride = args.sequence_stride;
  return {first, length, stride, args.sampling_rate,
          std::max<int64_t>(0, ceil_div(starts, stride))};
}

}  // namespace
}  // namespace stoker::data

namespace stoker {

Dataset timeseries_dataset_from_array(const Array& data, const Array& targets,
                                      int64_t sequence_length, const TimeseriesDatasetArgs& args,
                                      const Dataset::From& from) {
  const auto form = data::form_of_sequences(data, targets, sequence_length, args);
  Dataset dataset(std::make_shared<data::Timeseries>(data, targets, form, from));
  if (args.shuffle)
    dataset = dataset.shuffle(std::max<int64_t>(1, form.count), {.seed = args.seed}, from);
  return args.batch_size ? dataset.batch(*args.batch_size, {}, from) : dataset;
}

}  // namespace stoker
