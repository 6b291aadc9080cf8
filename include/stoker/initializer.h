#pragma once
#include <memory>
#include <string>

#include "stoker/array.h"
#include "stoker/config.h"

namespace stoker {

// How a weight is initialised. By Keras name ("glorot_uniform"), by config, or one of
// initializers::….
class Initializer {
 public:
  struct Impl {
    virtual ~Impl() = default;
    // The values depend on (seed, shape) only.
    virtual Array make(const Shape& shape, DType dtype, uint64_t seed) const = 0;
    virtual std::string class_name() const = 0;
    virtual Config get_config() const = 0;
  };
  Initializer() = default;
  Initializer(const char* name);         // NOLINT
  Initializer(const std::string& name);  // NOLINT
  Initializer(
      const Config& config);  // NOLINT: a name or {class_name, config}; throws InvalidArgument
  explicit Initializer(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

  bool defined() const { return impl_ != nullptr; }
  Array operator()(const Shape& shape, DType dtype, uint64_t seed) const {
    return impl_->make(shape, dtype, seed);
  }
  Config to_config() const;

 private:
  std::shared_ptr<const Impl> impl_;
};

}  // namespace stoker
