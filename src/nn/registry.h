#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/suggest.h"
#include "nn/args.h"
#include "stoker/error.h"

namespace stoker::nn {

// BatchNormalization → batch_normalization, Conv2D → conv2d, LeakyReLU → leaky_re_lu: Keras's rule.
std::string to_snake_case(const std::string& class_name);

// Makers of T by their Keras class name, their snake_case name and further aliases ("mse"). Files
// register themselves with a static Registrar; nothing central lists them.
template <class T>
class Registry {
 public:
  using Maker = std::function<T(const Config&)>;
  static Registry& instance() {
    static Registry registry;
    return registry;
  }
  void add(const std::string& class_name, Maker maker, const std::vector<std::string>& aliases) {
    names_[class_name] = class_name;
    names_.try_emplace(to_snake_case(class_name), class_name);
    for (const auto& alias : aliases) names_[alias] = class_name;
    makers_[class_name] = std::move(maker);
  }
  // what: "loss", "optimizer" …, for the message.
  T make(const Config& config, const std::string& what) const {
    const ObjectConfig object = parse_object(config);
    auto found = names_.find(object.class_name);
    if (found == names_.end()) {
      std::vector<std::string> known;
      for (const auto& [name, target] : names_) known.push_back(name);
      throw InvalidArgument(fmt::format("unknown {} \"{}\".", what, object.class_name),
                            did_you_mean(object.class_name, known));
    }
    return makers_.at(found->second)(object.config);
  }
  std::vector<std::string> class_names() const {
    std::vector<std::string> names;
    for (const auto& [name, maker] : makers_) names.push_back(name);
    return names;
  }

 private:
  std::map<std::string, std::string> names_;
  std::map<std::string, Maker> makers_;
};

template <class T>
struct Registrar {
  Registrar(const std::string& class_name, typename Registry<T>::Maker maker,
            const std::vector<std::string>& aliases = {}) {
    Registry<T>::instance().add(class_name, std::move(maker), aliases);
  }
};

}  // namespace stoker::nn
