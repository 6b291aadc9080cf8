#pragma once
#include "nn/model_impl.h"

// Checks what the user passes before any of it is read, and brings it into columns.
namespace stoker::nn {

struct Columns {
  std::vector<Array> arrays;  // x …, y …, weights …
  StepLayout layout;
  int64_t samples() const { return arrays.at(0).length(); }
  Columns rows(int64_t begin, int64_t end) const;
  std::vector<TensorType> input_types(int64_t rows) const;  // of a batch
};

struct ColumnArgs {
  const Arrays& x;
  const Arrays& y;
  const Arrays& sample_weight;
  const std::map<int64_t, double>& class_weight;
};
Columns make_columns(const ColumnArgs& args, const char* doing);

// The first argument of fit that is out of its range, and what is in it.
struct OutOfRange {
  const char* key;
  std::string what;  // "must be positive, got 0."
};
std::optional<OutOfRange> out_of_range(const FitArgs& args);
// Of evaluate and predict. Throws InvalidArgument.
void check_range(int64_t batch_size, int64_t steps, const char* doing);

// What fit trains on, and what it validates with: data given for it, or the last samples, before
// any shuffling. Class weights are for training alone.
struct FitColumns {
  Columns train;
  std::optional<Columns> validation;
};
FitColumns make_fit_columns(const Arrays& x, const Arrays& y, const FitArgs& args,
                            const char* doing);

// Labels outside the classes of a sparse loss: says which sample and value. The number of classes
// is known once the step was traced; the data has not been used then.
void check_labels(const Model::Impl& impl, const Columns& columns);

}  // namespace stoker::nn
