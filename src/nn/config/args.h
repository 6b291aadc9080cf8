#pragma once
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "stoker/activation.h"
#include "stoker/config.h"
#include "stoker/constraint.h"
#include "stoker/dtype_policy.h"
#include "stoker/initializer.h"
#include "stoker/regularizer.h"
#include "stoker/shape.h"
#include "stoker/sizes.h"

// A struct of arguments lists its fields once:
//   template <class V> void visit(DenseArgs& a, V& v) { v("units", a.units, required);
//   v("activation", a.activation); … }
// and can then be read from a Config and written to one.
namespace stoker {
class InputDType;
class LayerRef;
class LearningRate;
}  // namespace stoker

namespace stoker::nn {

enum Presence { optional, required };

class ArgsReader {
 public:
  ArgsReader(const Config& config, std::string owner) : config_(config), owner_(std::move(owner)) {}

  template <class T>
  void operator()(const char* key, T& field, Presence presence = optional) {
    accept_and_ignore(key);
    if (const Config* value = find(key, presence)) guarded(key, [&] { read(*value, field); });
  }
  void accept_and_ignore(const char* key);
  // An argument of Keras that has only one supported value; others are refused.
  void fixed(const char* key, const Config& value);
  // Like a field, but not written if unset.
  template <class T>
  void if_set(const char* key, T& field) {
    (*this)(key, field);
  }
  // A string that is None in Python if it is empty here.
  void or_none(const char* key, std::string& field) { (*this)(key, field); }
  void finish() const;  // throws for an unknown key, with the most similar known one

 private:
  const Config* find(const char* key, Presence presence) const;
  void guarded(const char* key,
               const std::function<void()>& read) const;  // adds owner and key to an error

  static void read(const Config& c, bool& out) { out = c.as_bool(); }
  static void read(const Config& c, int& out) { out = static_cast<int>(c.as_int()); }
  static void read(const Config& c, int64_t& out) { out = c.as_int(); }
  static void read(const Config& c, double& out) { out = c.as_double(); }
  static void read(const Config& c, std::string& out) { out = c.is_null() ? "" : c.as_string(); }
  static void read(const Config& c, Activation& out);
  static void read(const Config& c, Initializer& out) { out = Initializer(c); }
  static void read(const Config& c, Regularizer& out);
  static void read(const Config& c, Constraint& out);
  static void read(const Config& c, InputDType& out);
  static void read(const Config& c, LayerRef& out);
  static void read(const Config& c, LearningRate& out);
  static void read(const Config& c, Shape& out);
  static void read(const Config& c, DType& out);
  static void read(const Config& c, DTypePolicy& out);
  static void read(const Config& c, std::vector<int64_t>& out);
  static void read(const Config& c, std::vector<double>& out);
  static void read(const Config& c, Config& out) { out = c; }
  template <class T>
  static void read(const Config& c, std::optional<T>& out) {
    if (c.is_null()) {
      out.reset();
    } else {
      T value{};
      read(c, value);
      out = std::move(value);
    }
  }
  // Keras's "an integer or a pair of them", or null.
  template <size_t n>
  static void read(const Config& c, Sizes<n>& out) {
    if (c.is_null()) {
      out = {};
    } else if (c.is_int()) {
      out = c.as_int();
    } else {
      out = 0;
      read_list(c, &out[0], n);
    }
  }
  static void read_list(const Config& c, int64_t* out, size_t n);

  const Config& config_;
  std::string owner_;
  std::vector<std::string> known_;
};

class ArgsWriter {
 public:
  Config config = Config::map();

  template <class T>
  void operator()(const char* key, const T& field, Presence = optional) {
    config[key] = write(field);
  }
  void accept_and_ignore(const char*) {}
  void fixed(const char* key, const Config& value) { config[key] = value; }
  template <class T>
  void if_set(const char* key, const T& field) {
    if (field.defined()) config[key] = write(field);
  }
  void or_none(const char* key, const std::string& field) {
    config[key] = field.empty() ? Config() : Config(field);
  }

 private:
  static Config write(bool v) { return v; }
  static Config write(int v) { return v; }
  static Config write(int64_t v) { return v; }
  static Config write(double v) { return v; }
  static Config write(const std::string& v) { return v; }
  static Config write(const Activation& v) { return v.to_config(); }
  static Config write(const Initializer& v) { return v.to_config(); }
  static Config write(const Regularizer& v) { return v.to_config(); }
  static Config write(const Constraint& v) { return v.to_config(); }
  static Config write(const InputDType& v);
  static Config write(const LayerRef& v);
  static Config write(const LearningRate& v);
  static Config write(const Shape& v);
  static Config write(DType v) { return std::string(name_of(v)); }
  static Config write(const DTypePolicy& v);
  static Config write(const std::vector<int64_t>& v);
  static Config write(const std::vector<double>& v);
  static Config write(const Config& v) { return v; }
  template <class T>
  static Config write(const std::optional<T>& v) {
    return v ? write(*v) : Config();
  }
  template <size_t n>
  static Config write(const Sizes<n>& v) {
    return v.defined() ? write(std::vector<int64_t>(v.begin(), v.end())) : Config();
  }
};

template <class Args>
Args read_args(const Config& config, const std::string& owner) {
  Args args;
  ArgsReader reader(config, owner);
  visit(args, reader);
  reader.finish();
  return args;
}

// Works on a copy: a visitor may convert a field, and the caller's must not change.
template <class Args>
Config write_args(Args args) {
  ArgsWriter writer;
  visit(args, writer);
  return writer.config;
}

// "{class_name, config}" or a bare name, as Keras writes objects.
struct ObjectConfig {
  std::string class_name;  // "package>Name" for a class registered by the program
  Config config = Config::map();
};
ObjectConfig parse_object(const Config& config);
std::string text_at(const Config& config, const char* key);  // empty if missing
Config make_object(const std::string& class_name, const Config& config);
// With module and registered name, as in Keras's files.
Config keras_object(const std::string& module, const std::string& class_name, const Config& config);

}  // namespace stoker::nn
