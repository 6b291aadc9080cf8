#pragma once
#include <string>
#include <typeinfo>

#include "nn/config/registry.h"

// Classes and functions that a program registers with RegisterSerializable or RegisterFunction,
// called "package>Name" in Keras's files. Registry<T> creates the objects; this is the list of
// names.
namespace stoker::nn {

// "package>Name", or the bare name without a package. Throws if the name is already registered.
std::string add_own_class(const std::type_info& type, const std::string& package,
                          const std::string& name);
std::string add_own_function(const std::string& package, const std::string& name);

// The registered name of an object's class; empty if not registered.
std::string own_name(const std::type_info& type);
// The registered class or function of an object in a file; empty if none. Keras writes an
// unregistered class with its bare name and its author's module.
std::string own_class_of(const Config& object);
std::string own_named(const std::string& name);  // by registered name or bare name

// An object of a registered class in Keras's format.
Config own_object(const std::string& registered_name, const Config& config);
// An object of an unregistered class: as Keras writes it, but without a module.
Config unregistered_object(const std::string& class_name, const Config& config);
// A function by its registered name, else by its own name.
Config function_object(const std::string& name);

// An object of a Keras class or of a program's own class.
template <class Registered, class T>
Config serialize_object(const std::string& keras_module, const T& object) {
  const std::string own = own_name(typeid(object)), class_name = object.class_name();
  if (!own.empty()) return own_object(own, object.get_config());
  return Registry<Registered>::instance().contains(class_name)
             ? keras_object(keras_module, class_name, object.get_config())
             : unregistered_object(class_name, object.get_config());
}

// Classes and functions in a serialized model that are not registered: loading it would not find
// them.
std::vector<std::string> unregistered_in(const Config& config);

}  // namespace stoker::nn
