#include <fmt/format.h>

#include <fstream>

#include "device/scope.h"
#include "io/test_files.h"
#include "stoker/model.h"
#include "support/golden_fit.h"

// Random models saved by Keras: their predictions, and how training continues from the file.
// tools/random_models creates them; random_models_gaps.txt lists known differences.
namespace stoker {
namespace {

const golden::Group& group() {
  static const golden::Group loaded = golden::load("random_models");
  return loaded;
}

using golden::field;

// Tolerances by policy: the models were chosen to be well conditioned.
struct Limits {
  double prediction, weight, history, state, roundoff;
};

// On a GPU a chain of elementwise float16 ops rounds only at its ends, in Keras each op rounds.
bool rounds_elsewhere(const Arrays& x) {
  return !device::current_device("the test").is_host() &&
         std::any_of(x.begin(), x.end(),
                     [](const Array& input) { return input.dtype() == DType::float16; });
}

Limits limits_of(const Config& of_case) {
  const std::string policy = field(of_case, "policy").as_string();
  if (policy == "mixed_float16" || rounds_elsewhere(group().list(of_case, "x")))
    return {5e-3, 5e-3, 1e-2, 1e-1, 5e-4};
  if (policy == "mixed_bfloat16") return {4e-2, 2e-2, 5e-2, 3e-1, 4e-3};
  return {1e-5, 1e-4, 1e-4, 1e-3, 2e-7};
}

Model load_case(const Config& of_case, const std::string& folder) {
  const Array bytes = group().array(of_case, "file");
  const std::string path = folder + "/model.keras";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.raw()),
             static_cast<std::streamsize>(bytes.bytes()));
  return load_model(path);
}

// Each returns the difference, or nothing.
std::string differing(const char* what, const Arrays& got, const Arrays& want, double limit) {
  if (got.size() != want.size())
    return fmt::format("{} {} instead of {}", got.size(), what, want.size());
  for (size_t i = 0; i < want.size(); ++i)
    if (const auto same = golden::near(got[i], want[i], limit); !same)
      return fmt::format("{} {}: {}", what, i, same.message());
  return "";
}

std::string differing(const History& got, const Config& want, double limit) {
  if (got.history.size() != want.as_map().size())
    return fmt::format("history has {} entries instead of {}", got.history.size(),
                       want.as_map().size());
  for (const auto& [name, values] : want.as_map()) {
    if (!got.contains(name)) return "history lacks " + name;
    const auto& list = values.as_list();
    for (size_t i = 0; i < list.size(); ++i) {
      const double wanted = list[i].as_double();
      if (!(std::abs(got[name].at(i) - wanted) <= limit * std::max(1.0, std::abs(wanted))))
        return fmt::format("{} of epoch {} is {} instead of {}", name, i, got[name][i], wanted);
    }
  }
  return "";
}

double largest(const Array& array) {
  double most = 0;
  for (int64_t i = 0; i < array.size(); ++i) most = std::max(most, std::abs(array.at(i)));
  return most;
}

// The variables that Keras has, in its order.
std::vector<Variable> state_of(const Optimizer& optimizer) {
  std::vector<Variable> variables;
  for (const auto& [variable, kind] : optimizer.saved_variables())
    if (kind != SavedVariable::Kind::attribute || !optimizer.inner_optimizer())
      variables.push_back(variable);
  return variables;
}

// Of all variables, by slot: "momentum", "velocity".
std::string slot_of(const Variable& variable) {
  return variable.name().substr(variable.name().find_last_of("/_") + 1);
}
std::map<std::string, double> largest_of_slots(const std::vector<Variable>& variables,
                                               const Arrays& values) {
  std::map<std::string, double> found;
  for (size_t i = 0; i < values.size(); ++i) {
    double& most = found[slot_of(variables[i])];
    most = std::max(most, largest(values[i]));
  }
  return found;
}

// Slots may be small: each is compared relative to its maximum. A gradient that should be 0 is the
// rounding error of the others.
std::string differing_state(const std::vector<Variable>& got, const Arrays& want,
                            const Limits& limits) {
  if (got.size() != want.size())
    return fmt::format("the optimizer has {} variables instead of {}", got.size(), want.size());
  const auto of_slots = largest_of_slots(got, want);
  for (size_t i = 0; i < want.size(); ++i) {
    const double scale = std::clamp(largest(want[i]), 1e-7, 1.0);
    const double rounding = limits.roundoff * std::min(of_slots.at(slot_of(got[i])), 1.0);
    const double limit = std::max(limits.state * scale, rounding);
    if (const auto same = golden::near(got[i].array(), want[i], limit); !same)
      return fmt::format("{}: {}", got[i].name(), same.message());
  }
  return "";
}

std::string difference_from_keras(const Config& of_case) {
  const TemporaryFolder folder;
  const Limits limits = limits_of(of_case);
  Model model = load_case(of_case, folder.path());
  const Arrays x = group().list(of_case, "x"), y = group().list(of_case, "y");
  const Arrays predictions = group().list(of_case, "predictions");
  if (auto found = differing("prediction", model.predict_all(x), predictions, limits.prediction);
      !found.empty())
    return found;
  if (!of_case.find("history")) return "";
  const History history = model.fit(
      x, y, golden::fit_args(field(of_case, "fit"), group().list(of_case, "sample_weight")));
  if (auto found = differing(history, field(of_case, "history"), limits.history); !found.empty())
    return found;
  const Arrays weights = group().list(of_case, "weights");
  if (auto found = differing("weight", model.get_weights(), weights, limits.weight); !found.empty())
    return found;
  return differing_state(state_of(model.optimizer()), group().list(of_case, "optimizer"), limits);
}

// A line of the file: a case's id, and why it differs for now.
std::map<std::string, std::string> read_gaps() {
  std::map<std::string, std::string> gaps;
  std::ifstream file(STOKER_SOURCE_DIR "/tests/golden/random_models_gaps.txt");
  for (std::string line; std::getline(file, line);)
    if (const auto space = line.find(' '); space != line.npos && line[0] != '#')
      gaps[line.substr(0, space)] = line.substr(space + 1);
  return gaps;
}

class RandomModels : public ::testing::TestWithParam<size_t> {};

TEST_P(RandomModels, AreKeras) {
  static const auto gaps = read_gaps();
  const Config& of_case = group().cases()[GetParam()];
  std::string found;
  try {
    found = difference_from_keras(of_case);
  } catch (const Error& error) {
    found = error.what();
  }
  const auto gap = gaps.find(golden::id(of_case));
  if (gap == gaps.end())
    EXPECT_EQ(found, "");
  else
    EXPECT_NE(found, "") << "the gap is closed; delete its line: " << gap->second;
}

INSTANTIATE_TEST_SUITE_P(Keras, RandomModels, ::testing::Range(size_t{0}, group().cases().size()),
                         [](const auto& given) {
                           return golden::id(group().cases()[given.param]);
                         });

}  // namespace
}  // namespace stoker
