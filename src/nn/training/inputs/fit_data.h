#pragma once
#include "data/feeds/feed_source.h"
#include "nn/model_impl.h"

// Checks the user's arguments before any data is read, and converts them for a run.
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
// The weight of each sample by its label or one-hot row; 1 for classes without one.
Array weights_by_class(const Array& y, const std::map<int64_t, double>& class_weight);

// The first argument of fit that is out of range, and what is wrong with it.
struct OutOfRange {
  const char* key;
  std::string what;  // "must be positive, got 0."
};
std::optional<OutOfRange> out_of_range(const FitArgs& args);
void check_compiled(const Model& model, const char* doing);  // throws InvalidArgument
// For evaluate and predict. Throws InvalidArgument.
void check_range(int64_t batch_size, int64_t steps, const char* doing);

// How many of the first samples are for training; the rest validates. Throws if either part is
// empty.
int64_t samples_kept(int64_t samples, double validation_split, const char* doing);

// The data of a run, fed in any way.
struct RunData {
  std::shared_ptr<const data::FeedSource> source;
  StepLayout layout;                    // except `gathers`, which the feed's plan determines
  std::optional<Columns> columns = {};  // if all data is in memory
  // When the run was called, if finding out the elements' types may have taken long.
  std::optional<ledger::Time> called = {};
};
RunData run_over(const Columns& columns, bool shuffle = false);

// Training and validation data of fit.
struct FitData {
  RunData train;
  std::optional<RunData> validation = {};
};
// Validates with the given data, or with the last samples before shuffling. Class weights apply to
// training only.
FitData make_fit_data(Model& model, const Arrays& x, const Arrays& y, const FitArgs& args,
                      const char* doing);

// The plan for batches that are divided among ranks.
data::FeedPlan divided(data::FeedPlan plan);

// Throws if `steps` is not given and the data is infinite. `argument` is the name of that argument.
void refuse_endless(const data::FeedPlan& plan, int64_t steps, const char* doing,
                    const char* argument);

// The feed of an evaluate or predict over `steps` batches, or all for 0.
struct FeedWishes {
  int64_t batch_size, steps;
  bool divides;  // among the ranks
};
std::unique_ptr<data::Feed> open_feed(const RunData& data, const device::Device& device,
                                      const FeedWishes& wishes, const char* doing);

}  // namespace stoker::nn
