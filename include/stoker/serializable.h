#pragma once
#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <typeinfo>
#include <vector>

#include "stoker/layer.h"
#include "stoker/loss.h"
#include "stoker/metric.h"
#include "stoker/optimizer.h"

// Classes and functions of your own in model files, as with Keras's
// register_keras_serializable(package, name). One line in the file of the class is enough:
//   const stoker::RegisterSerializable<Scale> registered{"my_package", "Scale"};
// Model::save then writes the class as "my_package>Scale", and load_model, from_config and recipes
// find it by that name.
namespace stoker {

namespace nn {
template <class T>
using FromConfig = std::function<std::shared_ptr<T>(const Config&)>;
void register_class(const std::type_info&, const std::string& package, const std::string& name,
                    FromConfig<Layer> make);
void register_class(const std::type_info&, const std::string& package, const std::string& name,
                    FromConfig<Loss> make);
void register_class(const std::type_info&, const std::string& package, const std::string& name,
                    FromConfig<Metric> make);
void register_class(const std::type_info&, const std::string& package, const std::string& name,
                    FromConfig<Schedule> make);
void register_class(const std::type_info&, const std::string& package, const std::string& name,
                    FromConfig<Optimizer> make);
// Sets a new object's attributes of the base class.
template <class T>
std::vector<std::string> set_afterwards() {
  if constexpr (std::derived_from<T, Layer>)
    return {"name", "trainable", "dtype"};
  else if constexpr (std::derived_from<T, Metric>)
    return {"name"};
  else
    return {};
}
// Throws if an object that was created without its config has another one.
void check_made(const Config& given, const Config& made, const std::string& name,
                const std::vector<std::string>& set_afterwards);

template <class T>
concept HasFromConfig = requires(const Config& config) {
  { T::from_config(config) } -> std::convertible_to<std::shared_ptr<T>>;
};
template <class T>
std::shared_ptr<T> make_from(const Config& config, const std::string& name) {
  if constexpr (HasFromConfig<T>) {
    return T::from_config(config);
  } else if constexpr (std::constructible_from<T, const Config&>) {
    return std::make_shared<T>(config);
  } else {
    static_assert(std::default_initializable<T>,
                  "needs from_config(const Config&), or a constructor that takes a Config");
    auto made = std::make_shared<T>();
    check_made(config, made->get_config(), name, set_afterwards<T>());
    return made;
  }
}
}  // namespace nn

// A class derived from Layer, Loss, Metric, Schedule or Optimizer. get_config() returns what a file
// stores of an object; loading uses the first of these that the class has:
//   static std::shared_ptr<T> from_config(const Config& config);
//   explicit T(const Config& config);
//   T();                                       // if get_config() adds nothing to the base's
// A layer's name, dtype and trainable and a metric's name are set afterwards and need not be read.
// A second class of the same name is refused with InvalidArgument.
template <class T>
struct RegisterSerializable {
  RegisterSerializable(const std::string& package, const std::string& name) {
    const auto make = [name](const Config& config) { return nn::make_from<T>(config, name); };
    nn::register_class(typeid(T), package, name, make);
  }
};

// A function of (y_true, y_pred) that is a loss and a metric:
//   const stoker::RegisterFunction asymmetric{"my_package", "asymmetric", [](const Tensor& y_true,
//       const Tensor& y_pred) { … }};
//   model.compile({.loss = {asymmetric}, .metrics = {asymmetric}});
class RegisterFunction {
 public:
  using Function = std::function<Tensor(const Tensor& y_true, const Tensor& y_pred)>;
  RegisterFunction(const std::string& package, const std::string& name, Function function);
  operator LossRef() const { return LossRef(registered_name_); }      // NOLINT
  operator MetricRef() const { return MetricRef(registered_name_); }  // NOLINT

 private:
  std::string registered_name_;
};

}  // namespace stoker
