#pragma once
#include <optional>
#include <utility>

#include "nn/config/registry.h"
#include "stoker/initializer.h"

namespace stoker::nn {

// An initializer that is a function of its arguments and fills a float32 array.
template <class Args>
using FillFunction = void (*)(const Args& args, Array& out, uint64_t seed);

template <class Args>
struct FillInitializer : Initializer::Impl {
  std::string name;
  Args args;
  FillFunction<Args> fill;

  FillInitializer(std::string n, Args a, FillFunction<Args> f)
      : name(std::move(n)), args(std::move(a)), fill(f) {}

  Array make(const Shape& shape, DType dtype, uint64_t seed) const override {
    if constexpr (requires { args.seed; })
      if (args.seed) seed = static_cast<uint64_t>(*args.seed);
    Array out(DType::float32, shape);
    fill(args, out, seed);
    return out.astype(dtype);
  }
  std::string class_name() const override { return name; }
  Config get_config() const override { return write_args(args); }
};

template <class Args>
Initializer make_initializer(const char* name, const Args& args, FillFunction<Args> fill) {
  return Initializer(std::make_shared<const FillInitializer<Args>>(name, args, fill));
}

template <class Args>
struct RegisterInitializer {
  RegisterInitializer(const std::string& name, Initializer (*make)(const Args&),
                      const std::vector<std::string>& aliases = {},
                      std::source_location place = std::source_location::current()) {
    Registrar<Initializer>(
        name, [name, make](const Config& config) { return make(read_args<Args>(config, name)); },
        aliases, place);
  }
};

}  // namespace stoker::nn
