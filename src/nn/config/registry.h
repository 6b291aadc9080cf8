#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <source_location>
#include <string>
#include <vector>

#include "nn/config/args.h"
#include "stoker/error.h"
#include "stoker/suggest.h"  // with fmt and error.h for the messages of whatever is registered

namespace stoker::nn {

// BatchNormalization → batch_normalization, Conv2D → conv2d, LeakyReLU → leaky_re_lu: Keras's rule.
std::string to_snake_case(const std::string& class_name);

// Class names by all their spellings: the name itself, snake_case, and aliases ("mse").
class ClassNames {
 public:
  // Throws if one of the names is another class's already, with the places where both are
  // registered.
  void add(const std::string& class_name, const std::vector<std::string>& aliases,
           std::source_location place);
  bool contains(const std::string& name) const { return names_.contains(name); }
  // what: "loss", "optimizer" …, for the error message.
  const std::string& find(const std::string& name, const std::string& what) const;

 private:
  std::map<std::string, std::string> names_;
  std::map<std::string, std::source_location> places_;  // by class
};

// Factories of T by Keras class name. Files register themselves with a static Registrar; there is
// no central list.
template <class T>
class Registry {
 public:
  using Maker = std::function<T(const Config&)>;
  static Registry& instance() {
    static Registry registry;
    return registry;
  }
  void add(const std::string& class_name, Maker maker, const std::vector<std::string>& aliases,
           std::source_location place) {
    names_.add(class_name, aliases, place);
    makers_.emplace(class_name, std::move(maker));
  }
  bool contains(const std::string& name) const { return names_.contains(name); }
  T make(const Config& config, const std::string& what) const {
    const ObjectConfig object = parse_object(config);
    return makers_.at(names_.find(object.class_name, what))(object.config);
  }
  std::vector<std::string> class_names() const {
    std::vector<std::string> names;
    for (const auto& [name, maker] : makers_) names.push_back(name);
    return names;
  }

 private:
  ClassNames names_;
  std::map<std::string, Maker> makers_;
};

template <class T>
struct Registrar {
  Registrar(const std::string& class_name, typename Registry<T>::Maker maker,
            const std::vector<std::string>& aliases = {},
            std::source_location place = std::source_location::current()) {
    Registry<T>::instance().add(class_name, std::move(maker), aliases, place);
  }
};

}  // namespace stoker::nn
