#pragma once
#include <fmt/format.h>

#include "nn/layers/registration.h"
#include "stoker/error.h"

namespace stoker::nn {

// The arguments common to all layers.
template <class Args, class V>
void visit_layer(Args& a, V& v) {
  v("name", a.name);
  v("dtype", a.dtype);
  if constexpr (requires { a.input_shape; }) v("input_shape", a.input_shape);
}

// A layer described by a struct of arguments with a visit() function.
template <class Args>
class ArgsLayer : public Layer {
 public:
  ArgsLayer(const char* class_name, const Args& args, std::source_location created)
      : Layer(class_name, args.name, created), args_(args) {
    if constexpr (requires { args.input_shape; }) input_shape = args.input_shape;
    if constexpr (has_policy) set_dtype_policy(args.dtype);
    if constexpr (requires { args.activity_regularizer; })
      activity_regularizer = args.activity_regularizer;
  }

  Config get_config() const override {
    Config config = Layer::get_config();
    const Config own = write_args(args_);
    for (const auto& [key, value] : own.as_map())
      if (!config.find(key) && key != "input_shape") config[key] = value;
    return config;
  }

 protected:
  // `[conv2d] expects images …`
  [[noreturn]] void fail(const std::string& what, const std::string& hint = {}) const {
    throw InvalidArgument(fmt::format("[{}] {}", to_snake_case(class_name()), what), hint);
  }
  void expect_positive(const char* argument, std::initializer_list<int64_t> values) const {
    for (int64_t value : values)
      if (value <= 0) fail(fmt::format("{} must be positive, got {}.", argument, value));
  }
  Args args_;

 private:
  static constexpr bool has_policy = std::is_same_v<decltype(Args::dtype), DTypePolicy>;
};

}  // namespace stoker::nn
