#include "nn/training/inputs/dataset_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "data/feeds/dataset_feed.h"
#include "nn/training/fit.h"
#include "nn/training/test_loop.h"

namespace stoker::nn {
namespace {

// The indices of one part's arrays in an element, in the order of the model's inputs or outputs.
struct Part {
  Structure structure = Structure::tuple({});
  size_t first = 0;

  std::vector<size_t> places(const std::vector<std::string>& names, const char* what,
                             const std::string& where) const {
    std::vector<size_t> all(structure.arrays());
    std::iota(all.begin(), all.end(), first);
    if (!structure.is_table() || names.empty()) return all;
    const auto& has = structure.names();
    std::vector<size_t> chosen;
    for (const std::string& name : names) {
      const auto found = std::find(has.begin(), has.end(), name);
      if (found == has.end())
        throw InvalidArgument(
            fmt::format("{}: the elements have no {} \"{}\", only {}.", where, what, name,
                        fmt::join(has, ", ")),
            fmt::format("name the parts of an element as the model names its {}s.", what));
      chosen.push_back(all[static_cast<size_t>(found - has.begin())]);
    }
    return chosen;
  }
};

struct Parts {
  Part x, y, sample_weight;
};

Parts parts_of(const ElementSpec& spec, const std::string& where) {
  Parts parts;
  if (!spec.structure.is_tuple()) {
    parts.x.structure = spec.structure;
    return parts;
  }
  const auto& given = spec.structure.parts();
  if (given.empty() || given.size() > 3)
    throw InvalidArgument(fmt::format("{}: the elements are {}, which has {} parts.", where,
                                      to_string(spec), given.size()),
                          "an element is x, (x, y) or (x, y, sample_weight).");
  size_t first = 0;
  for (Part* part : {&parts.x, &parts.y, &parts.sample_weight}) {
    const auto i = static_cast<size_t>(part - &parts.x);
    if (i >= given.size()) break;
    part->structure = given[i];
    part->first = first;
    first += given[i].arrays();
  }
  return parts;
}

// Empty arrays: all that is known in advance is whether values are strings.
Columns kinds_of(const ElementSpec& spec, const std::vector<size_t>& order,
                 const StepLayout& layout) {
  Columns columns{.arrays = {}, .layout = layout};
  for (const size_t place : order) {
    const Shape shape(
        std::vector<int64_t>(static_cast<size_t>(spec.arrays[place].shape.rank()), 0));
    columns.arrays.push_back(spec.arrays[place].text ? Array::strings({}, shape)
                                                     : Array(spec.arrays[place].dtype, shape));
  }
  return columns;
}

Element with_class_weights(const Element& element, const std::map<int64_t, double>& weights) {
  if (element.size() != 2 || !element.structure().is_tuple())
    throw InvalidArgument(fmt::format("class_weight needs elements (x, y), but they are {}.",
                                      to_string(spec_of(element))));
  return {element[0], element[1], weights_by_class(element[1].array(), weights)};
}

void refuse(bool given, const char* argument, const char* doing, const char* instead) {
  if (given)
    throw InvalidArgument(fmt::format("{}: {} is for arrays, not for a dataset.", doing, argument),
                          instead);
}

}  // namespace

RunData run_over(Model& model, const Dataset& dataset, Phase phase, const char* doing,
                 const data::StageRef& given) {
  const ledger::Time called = ledger::now();
  const ElementSpec spec = dataset.element_spec();
  const Parts parts = parts_of(spec, doing);
  RunData data{.called = called};
  std::vector<size_t> order = parts.x.places(model.input_names(), "input", doing);
  data.layout.x = order.size();
  if (phase != Phase::predict) {
    const auto y = parts.y.places(model.output_names(), "output", doing);
    if (y.empty())
      throw InvalidArgument(
          fmt::format("{}: the elements are {}, without targets.", doing, to_string(spec)),
          "map them to (x, y).");
    order.insert(order.end(), y.begin(), y.end());
    data.layout.y = y.size();
    const auto weights = parts.sample_weight.places(model.output_names(), "output", doing);
    if (weights.size() > 1 && weights.size() != y.size())
      throw InvalidArgument(
          fmt::format("{}: {} sample weights for {} targets.", doing, weights.size(), y.size()));
    data.layout.weighted.assign(y.size(), !weights.empty());
    for (size_t i = 0; i < y.size() && !weights.empty(); ++i)
      order.push_back(weights.size() == 1 ? weights[0] : weights[i]);
  }
  auto source = std::make_shared<data::DatasetSource>(dataset, order, spec);
  source->given = given;
  data.source = std::move(source);
  data.columns = kinds_of(spec, order, data.layout);
  return data;
}

RunData run_over(Model& model, const ValidationData& given, const char* doing) {
  const std::string where = fmt::format("{}'s validation_data", doing);
  if (given.dataset) return run_over(model, *given.dataset, Phase::test, where.c_str());
  return run_over(make_columns({given.x, given.y, given.sample_weight, {}}, where.c_str()));
}

FitData make_fit_data(Model& model, const Dataset& dataset, const FitArgs& args,
                      const char* doing) {
  refuse(!args.sample_weight.empty(), "sample_weight", doing,
         "give the elements a third part: (x, y, sample_weight).");
  refuse(args.validation_split > 0, "validation_split", doing,
         "use take and skip, and give validation_data.");
  refuse(args.batch_size == AUTO, "batch_size AUTO", doing, "end the dataset with batch.");
  const auto& weights = args.class_weight;
  const Dataset trained =
      weights.empty()
          ? dataset
          : dataset.map(
                [weights](const Element& element) { return with_class_weights(element, weights); },
                {.num_parallel_calls = AUTOTUNE});
  FitData data{
      run_over(model, trained, Phase::train, doing, weights.empty() ? nullptr : dataset.stage())};
  if (args.validation_data) data.validation = run_over(model, args.validation_data, doing);
  return data;
}

}  // namespace stoker::nn

namespace stoker {

History Model::fit(const Dataset& batches, const FitArgs& args) {
  nn::check_fit(*this, args);
  return nn::fit(*this, nn::make_fit_data(*this, batches, args, "fit"), args);
}

Logs Model::evaluate(const Dataset& batches, const EvaluateArgs& args) {
  nn::check_compiled(*this, "evaluate");
  nn::check_range(args.batch_size, args.steps, "evaluate");
  nn::refuse(!args.sample_weight.empty(), "sample_weight", "evaluate",
             "give the elements a third part: (x, y, sample_weight).");
  return nn::evaluate(*this, nn::run_over(*this, batches, Phase::test, "evaluate"), args);
}

std::vector<Array> Model::predict_all(const Dataset& batches, const PredictArgs& args) {
  nn::check_range(args.batch_size, args.steps, "predict");
  return nn::predict(*this, nn::run_over(*this, batches, Phase::predict, "predict"), args);
}

Array Model::predict(const Dataset& batches, const PredictArgs& args) {
  return nn::only(*this, predict_all(batches, args));
}

}  // namespace stoker
