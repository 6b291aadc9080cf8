#include "differential/kind.h"
#include "nn/config/registry.h"
#include "stoker/function.h"
#include "stoker/optimizer.h"

namespace stoker::differential {
namespace {

std::vector<std::string> optimizer_names() {
  return nn::Registry<std::shared_ptr<Optimizer>>::instance().class_names();
}
std::vector<std::string> schedule_names() {
  return nn::Registry<std::shared_ptr<const Schedule>>::instance().class_names();
}

std::vector<Variable> variables_of(const Family& family, const Config& record) {
  std::vector<Variable> variables;
  const auto& names = record.find("names")->as_list();
  for (const Array& initial : family.list(record, "initial"))
    variables.emplace_back(initial, names[variables.size()].as_string());
  return variables;
}

// In Keras's order; names differ only in their separators.
void expect_slots(const Family& family, const Config& record, const Optimizer& optimizer) {
  const auto& wanted = record.find("slots")->as_list();
  const auto slots = optimizer.variables();
  ASSERT_EQ(slots.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i)
    EXPECT_TRUE(near(slots[i].array(), family.array(wanted[i], "array")))
        << wanted[i].find("path")->as_string() << " is " << slots[i].name();
}

void run_optimizer(const Family& family, const Config& record) {
  const auto variables = variables_of(family, record);
  const OptimizerRef optimizer(object_of(record));
  const detail::TracedFunction step([&](const std::vector<Tensor>& gradients) {
    optimizer->apply_gradients(gradients, variables);
    return std::vector<Tensor>{};
  });
  for (const Config& gradients : record.find("gradients")->as_list()) {
    std::vector<detail::TracedFunction::Input> arrays;
    for (const Config& place : gradients.as_list()) arrays.emplace_back(family.array(place));
    step(arrays);
  }
  const auto wanted = family.list(record, "final");
  for (size_t i = 0; i < wanted.size(); ++i)
    EXPECT_TRUE(near(variables[i].array(), wanted[i])) << variables[i].name();
  expect_slots(family, record, *optimizer);
}

void run_schedule(const Family& family, const Config& record) {
  const LearningRate rate(object_of(record));
  const Array wanted = family.array(record, "values");
  const auto& steps = record.find("steps")->as_list();
  for (size_t i = 0; i < steps.size(); ++i) {
    const auto step = static_cast<float>(steps[i].as_double());
    const double want = wanted.at(static_cast<int64_t>(i));
    EXPECT_NEAR((*rate.schedule())(Array::scalar(step)).item(), want, 1e-5 * want)
        << "step " << step;
  }
}

Config rewrite_optimizer(const Config& object) { return OptimizerRef(object)->get_config(); }
Config rewrite_schedule(const Config& object) {
  return LearningRate(object).schedule()->get_config();
}

const RegisterKind optimizer_kind{"optimizer", {optimizer_names, run_optimizer, rewrite_optimizer}};
const RegisterKind schedule_kind{"schedule", {schedule_names, run_schedule, rewrite_schedule}};

}  // namespace
}  // namespace stoker::differential
