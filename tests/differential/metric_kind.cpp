#include "differential/kind.h"
#include "nn/config/registry.h"
#include "stoker/function.h"
#include "stoker/metric.h"

namespace stoker::differential {
namespace {

std::vector<std::string> class_names() {
  return nn::Registry<std::shared_ptr<Metric>>::instance().class_names();
}

bool takes_values(const Metric& metric) {
  return metric.class_name() == "Mean" || metric.class_name() == "Sum";
}

void update(Metric& metric, const std::vector<Array>& given) {
  const auto argument = [&](size_t i) { return i < given.size() ? Tensor(given[i]) : Tensor(); };
  if (takes_values(metric))
    metric.update_state(argument(0), {}, argument(1));
  else
    metric.update_state(argument(0), argument(1), argument(2));
}

void run_updates(const Family& family, const Config& record, bool compiled) {
  const auto metric = MetricRef(object_of(record)).make({}, {});
  for (const Config& one : record.find("updates")->as_list()) {
    const auto arguments = family.list(one, "arguments");
    if (compiled)
      function([&] { update(*metric, arguments); })();
    else
      update(*metric, arguments);
    EXPECT_TRUE(near(metric->result().array(), family.array(one, "result")))
        << (compiled ? "compiled" : "eager");
  }
}

void run(const Family& family, const Config& record) {
  run_updates(family, record, false);
  run_updates(family, record, true);
}

Config rewrite(const Config& object) { return MetricRef(object).make({}, {})->get_config(); }

const RegisterKind registered{"metric", {class_names, run, rewrite, true}};

}  // namespace
}  // namespace stoker::differential
