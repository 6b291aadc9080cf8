#pragma once
#include "data/feed_source.h"
#include "nn/model_impl.h"

// Checks what the user passes before any of it is read, and brings it into the form that a run
// takes.
namespace stoker::nn {

struct Columns {
  std::vector<Array> arrays;  // x …, y …, weights …
  StepLayout layout;
  int64_t samples() const { return arrays.at(0).length(); }
  Columns rows(int64_t begin, int64_t end) const;
};

struct ColumnArgs {
  const Arrays& x;
  const Arrays& y;
  const Arrays& sample_weight;
  const std::map<int64_t, double>& class_weight;
};
Columns make_columns(const ColumnArgs& args, const char* doing);
// The weight of each sample, by its label or one-hot row; 1 for classes without one.
Array weights_by_class(const Array& y, const std::map<int64_t, double>& class_weight);

// The first argument of fit that is out of its range, and what is in it.
struct OutOfRange {
  const char* key;
  std::string what;  // "must be positive, got 0."
};
std::optional<OutOfRange> out_of_range(const FitArgs& args);
void check_compiled(const Model& model, const char* doing);  // throws InvalidArgument
// Of evaluate and predict. Throws InvalidArgument.
void check_range(int64_t batch_size, int64_t steps, const char* doing);

// How many of the first samples train where the rest validates. Throws if one of them has none.
int64_t samples_kept(int64_t samples, double validation_split, const char* doing);

// What a run of steps goes over, in whatever way it is fed.
struct RunData {
  std::shared_ptr<const data::FeedSource> source;
  StepLayout layout;                    // but for `gathers`, which the feed's plan says
  std::optional<Columns> columns = {};  // where all of it is there in advance
};
RunData run_over(const Columns& columns, bool shuffle = false);

// What fit trains on, and what it validates with.
struct FitData {
  RunData train;
  std::optional<RunData> validation = {};
};
// Validation with data given for it, or the last samples, before any shuffling. Class weights are
// for training alone.
FitData make_fit_data(Model& model, const Arrays& x, const Arrays& y, const FitArgs& args,
                      const char* doing);

// The plan for batches that are divided among the processes that train together.
data::FeedPlan divided(data::FeedPlan plan);

// Throws where `steps` are not given and the data has no end. `argument` is what gives them.
void refuse_endless(const data::FeedPlan& plan, int64_t steps, const char* doing,
                    const char* argument);

// The feed of an evaluate or predict that takes `steps` batches, or all for 0.
struct FeedWishes {
  int64_t batch_size, steps;
  bool divides;  // among the processes that train together
};
std::unique_ptr<data::Feed> open_feed(const RunData& data, const device::Device& device,
                                      const FeedWishes& wishes, const char* doing);

// Values that the model cannot take, where all of the data is there in advance: what check_inputs
// says, and labels outside the classes of a sparse loss. The model's uses of them are known once
// the step was traced; the data has not been used then.
void check_values(Model& model, const Columns& columns);
inline void check_values(Model& model, const RunData& data) {
  if (data.columns) check_values(model, *data.columns);
}

}  // namespace stoker::nn
