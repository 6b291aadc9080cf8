#include "support/golden_fit.h"

#include "stoker/distribution.h"
#include "stoker/model.h"

// Whole runs of fit from given weights, compared with Keras.
namespace stoker {
namespace {

using golden::Group;

const Group& group() {
  static const Group loaded = golden::load("fit");
  return loaded;
}

using golden::field;
std::string text(const Config& of, const char* name) { return field(of, name).as_string(); }

Tensor make_input(const Config& entry) {
  std::vector<int64_t> dims;
  for (const Config& dim : field(field(entry, "config"), "shape").as_list())
    dims.push_back(dim.as_int());
  return Input({.shape = Shape(dims), .name = text(entry, "name")});
}

LayerRef make_layer(const Config& entry) {
  Config config = field(entry, "config");
  config["name"] = text(entry, "name");
  // Keras had one process: with several the statistics are those of all rows.
  if (distribution::num_processes() > 1 && text(entry, "class_name") == "BatchNormalization")
    config["synchronized"] = true;
  return make_layer_from_config(text(entry, "class_name"), config);
}

Sequential make_sequential(const Config::List& entries) {
  std::vector<Sequential::Item> items = {make_input(entries[0])};
  for (size_t i = 1; i < entries.size(); ++i) items.emplace_back(make_layer(entries[i]));
  return Sequential(items);
}

// "shared:1" is the output of the second call of the layer "shared".
Model make_functional(const Config& of_case) {
  std::map<std::string, Tensor> tensors;
  const auto named = [&](const Config& names) {
    std::vector<Tensor> found;
    for (const Config& name : names.as_list()) found.push_back(tensors.at(name.as_string()));
    return found;
  };
  for (const Config& entry : field(of_case, "layers").as_list()) {
    const std::string name = text(entry, "name");
    const auto& calls = field(entry, "inbound").as_list();
    if (calls.empty()) tensors[name] = make_input(entry);
    const LayerRef layer = calls.empty() ? LayerRef() : make_layer(entry);
    for (size_t i = 0; i < calls.size(); ++i)
      tensors[i == 0 ? name : name + ":" + std::to_string(i)] = layer(named(calls[i]));
  }
  return Model(Model::FunctionalArgs{.inputs = named(field(of_case, "inputs")),
                                     .outputs = named(field(of_case, "outputs"))});
}

std::vector<MetricRef> metrics_of(const Config& list) {
  std::vector<MetricRef> metrics;
  for (const Config& metric : list.as_list()) metrics.emplace_back(metric);
  return metrics;
}

CompileArgs compile_args(const Config& given) {
  CompileArgs args{.optimizer = OptimizerRef(field(given, "optimizer"))};
  for (const Config& loss : field(given, "loss").as_list()) args.loss.emplace_back(loss);
  if (const Config* weights = given.find("loss_weights"))
    for (const Config& weight : weights->as_list()) args.loss_weights.push_back(weight.as_double());
  if (const Config* weighted = given.find("weighted_metrics"))
    args.weighted_metrics = metrics_of(weighted->as_list().at(0));
  for (const Config& list : field(given, "metrics").as_list())
    args.output_metrics.push_back(metrics_of(list));
  return args;
}

void expect_history(const History& got, const Config& want) {
  std::vector<std::string> names, wanted;
  for (const auto& [name, values] : got.history) names.push_back(name);
  for (const auto& [name, values] : want.as_map()) {
    wanted.push_back(name);
    ASSERT_TRUE(got.contains(name)) << name;
    const auto& list = values.as_list();
    ASSERT_EQ(got[name].size(), list.size());
    for (size_t i = 0; i < list.size(); ++i)
      EXPECT_NEAR(got[name][i], list[i].as_double(), 1e-5 * std::max(1.0, list[i].as_double()))
          << name << " of epoch " << i;
  }
  EXPECT_EQ(names, wanted);
}

// To 1e-5 of the array's maximum.
::testing::AssertionResult agrees(const Array& got, const Array& want) {
  double largest = 0;
  for (int64_t i = 0; i < want.size(); ++i) largest = std::max(largest, std::abs(want.at(i)));
  return golden::near(got, want, 1e-5 * std::min(1.0, largest));
}

class GoldenFit : public ::testing::TestWithParam<size_t> {};

TEST_P(GoldenFit, EndsWhereKerasDoes) {
  distribution::initialize();
  const Config& of_case = group().cases()[GetParam()];
  Model model = text(of_case, "class_name") == "Sequential"
                    ? Model(make_sequential(field(of_case, "layers").as_list()))
                    : make_functional(of_case);
  model.set_weights(group().list(of_case, "initial_weights"));
  model.compile(compile_args(field(of_case, "compile")));
  const Config& fit = field(of_case, "fit");
  const Arrays x = group().list(fit, "x"), y = group().list(fit, "y");
  expect_history(model.fit(x, y, golden::fit_args(fit, group().list(fit, "sample_weight"))),
                 field(of_case, "history"));

  const auto got = model.get_weights(), want = group().list(of_case, "final_weights");
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i)
    EXPECT_TRUE(agrees(got[i], want[i])) << model.weights()[i].name();

  Arrays few;
  for (const Array& column : x) few.push_back(column.rows(0, 8));
  const auto outputs = model.predict_all(few), predictions = group().list(of_case, "predictions");
  ASSERT_EQ(outputs.size(), predictions.size());
  for (size_t i = 0; i < outputs.size(); ++i)
    EXPECT_TRUE(agrees(outputs[i], predictions[i])) << "output " << i;
}

INSTANTIATE_TEST_SUITE_P(All, GoldenFit, ::testing::Range(size_t{0}, group().cases().size()),
                         [](const auto& given) {
                           return golden::id(group().cases()[given.param]);
                         });

}  // namespace
}  // namespace stoker
