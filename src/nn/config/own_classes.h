#pragma once
#include <string>
#include <typeinfo>

#include "nn/config/registry.h"

// Classes and functions that a program registered with RegisterSerializable or RegisterFunction, in
// Keras's files as "package>Name". Registry<T> makes them; this knows which of them there are.
namespace stoker::nn {

// "package>Name", or the name alone where there is no package. Throws for a second of that name.
std::string add_own_class(const std::type_info& type, const std::string& package,
                          const std::string& name);
std::string add_own_function(const std::string& package, const std::string& name);

// The registered name of an object's class; empty: it is not registered.
std::string own_name(const std::type_info& type);
// Which registered class or function a file's object is of; empty: none. Keras writes a class that
// was not registered with its bare name and the module of its author.
std::string own_class_of(const Config& object);
std::string own_named(const std::string& name);  // by registered or by bare name

// An object of a registered class in Keras's form.
Config own_object(const std::string& registered_name, const Config& config);
// One of a class that is not registered: as Keras writes those, but without a module.
Config unregistered_object(const std::string& class_name, const Config& config);
// A function, by its registered name or, where it has none, its own.
Config function_object(const std::string& name);

// An object of a class of Keras's, or of a program's own.
template <class Registered, class T>
Config serialize_object(const std::string& keras_module, const T& object) {
  const std::string own = own_name(typeid(object)), class_name = object.class_name();
  if (!own.empty()) return own_object(own, object.get_config());
  return Registry<Registered>::instance().contains(class_name)
             ? keras_object(keras_module, class_name, object.get_config())
             : unregistered_object(class_name, object.get_config());
}

// The classes and functions in a serialized model that are not registered: what loading it again
// will not find.
std::vector<std::string> unregistered_in(const Config& config);

}  // namespace stoker::nn
