#include "stoker/serializable.h"

#include "nn/config/own_classes.h"
#include "nn/layers/registration.h"
#include "nn/losses/loss_of.h"
#include "nn/metrics/mean_metric.h"
#include "nn/schedules/schedule_of.h"

namespace stoker {
namespace nn {
namespace {

struct BaseConfig {
  std::string name;
  DTypePolicy dtype;
};
template <class V>
void visit(BaseConfig& a, V& v) {
  v("name", a.name);
  v("dtype", a.dtype);
}

// The part of the config that Layer::get_config writes; the class itself need not read it.
void set_base(Layer& layer, const Config& config, const std::string& registered) {
  const CommonArgs common(config, registered);
  Config base = Config::map();
  for (const char* key : {"name", "dtype"})
    if (const Config* value = config.find(key)) base[key] = *value;
  const auto args = read_args<BaseConfig>(base, registered);
  if (!args.name.empty()) layer.set_name(args.name);
  if (args.dtype.defined()) layer.set_dtype_policy(args.dtype);
  common.apply(layer);
}

}  // namespace

void check_made(const Config& given, const Config& made, const std::string& name,
                const std::vector<std::string>& set_afterwards) {
  if (!given.is_map()) return;
  for (const auto& [key, value] : given.as_map()) {
    const Config* now = made.find(key);
    if ((now && *now == value) || std::ranges::find(set_afterwards, key) != set_afterwards.end())
      continue;
    throw InvalidArgument(
        fmt::format("{} is made without its config, so \"{}\" of {} would be lost.", name, key,
                    value.to_string()),
        fmt::format("give the class a constructor {}(const Config&).", name));
  }
}

void register_class(const std::type_info& type, const std::string& package, const std::string& name,
                    FromConfig<Layer> make) {
  const std::string registered = add_own_class(type, package, name);
  Registrar<LayerRef>(registered, [make = std::move(make), registered](const Config& config) {
    const std::shared_ptr<Layer> layer = make(config);
    set_base(*layer, config, registered);
    return LayerRef(layer);
  });
}

void register_class(const std::type_info& type, const std::string& package, const std::string& name,
                    FromConfig<Loss> make) {
  Registrar<LossRef>(add_own_class(type, package, name),
                     [make = std::move(make)](const Config& config) {
                       return LossRef(std::shared_ptr<const Loss>(make(config)));
                     });
}

void register_class(const std::type_info& type, const std::string& package, const std::string& name,
                    FromConfig<Metric> make) {
  Registrar<MetricPtr>(add_own_class(type, package, name),
                       [make = std::move(make)](const Config& config) {
                         MetricPtr metric = make(config);
                         if (const Config* given = config.find("name"); given && given->is_string())
                           metric->set_name(given->as_string());
                         return metric;
                       });
}

void register_class(const std::type_info& type, const std::string& package, const std::string& name,
                    FromConfig<Schedule> make) {
  Registrar<SchedulePtr>(add_own_class(type, package, name), std::move(make));
}

void register_class(const std::type_info& type, const std::string& package, const std::string& name,
                    FromConfig<Optimizer> make) {
  Registrar<std::shared_ptr<Optimizer>>(add_own_class(type, package, name), std::move(make));
}

}  // namespace nn

RegisterFunction::RegisterFunction(const std::string& package, const std::string& name,
                                   Function function)
    : registered_name_(nn::add_own_function(package, name)) {
  nn::Registrar<LossRef>(registered_name_,
                         [function, registered = registered_name_](const Config&) {
                           return LossRef(function, registered);
                         });
  nn::Registrar<nn::MetricPtr>(registered_name_, [function, name](const Config&) {
    return std::make_shared<nn::MeanOf>("MeanMetricWrapper", name, DType::float32, function,
                                        Config::map());
  });
}

}  // namespace stoker
