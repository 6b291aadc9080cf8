#include "stoker/element.h"

#include <fmt/format.h>

#include "stoker/suggest.h"

namespace stoker {

Structure Structure::tuple(std::vector<Structure> parts) {
  Structure made;
  made.kind_ = Kind::tuple;
  made.arrays_ = 0;
  for (const Structure& part : parts) made.arrays_ += part.arrays();
  made.parts_ = std::move(parts);
  return made;
}

Structure Structure::table(std::vector<std::string> names, std::vector<Structure> parts) {
  Structure made = tuple(std::move(parts));
  made.kind_ = Kind::table;
  made.names_ = std::move(names);
  return made;
}

Element::Element(Structure structure, std::vector<Array> arrays)
    : structure_(std::move(structure)), arrays_(std::move(arrays)) {
  if (structure_.arrays() != arrays_.size())
    throw InvalidArgument(
        fmt::format("an element of {} arrays was given {}.", structure_.arrays(), arrays_.size()));
}

Element::Element(std::initializer_list<Element> parts)
    : Element(parts.size() == 1 ? *parts.begin() : tuple(parts)) {}

Element Element::tuple(const std::vector<Element>& parts) {
  std::vector<Structure> structures;
  std::vector<Array> arrays;
  for (const Element& part : parts) {
    structures.push_back(part.structure_);
    arrays.insert(arrays.end(), part.arrays_.begin(), part.arrays_.end());
  }
  return {Structure::tuple(std::move(structures)), std::move(arrays)};
}

Element Element::table(const std::vector<std::pair<std::string, Element>>& parts) {
  std::vector<std::string> names;
  std::vector<Element> values;
  for (const auto& [name, value] : parts) {
    names.push_back(name);
    values.push_back(value);
  }
  Element made = tuple(values);
  made.structure_ = Structure::table(std::move(names), made.structure_.parts());
  return made;
}

Element Element::operator[](size_t part) const {
  if (part >= size())
    throw InvalidArgument(fmt::format("part {} of an element of {}.", part, size()));
  if (structure_.is_array()) return *this;
  size_t first = 0;
  for (size_t i = 0; i < part; ++i) first += structure_.parts()[i].arrays();
  const Structure& structure = structure_.parts()[part];
  const auto begin = arrays_.begin() + static_cast<std::ptrdiff_t>(first);
  return {structure, {begin, begin + static_cast<std::ptrdiff_t>(structure.arrays())}};
}

Element Element::operator[](const std::string& name) const {
  const auto& names = structure_.names();
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return (*this)[i];
  throw InvalidArgument(
      fmt::format("the element {} has no part \"{}\".", to_string(spec_of(*this)), name),
      did_you_mean(name, names));
}

const Array& Element::array() const {
  if (structure_.is_array()) return arrays_[0];
  throw InvalidArgument(fmt::format("the element {} is not one array.", to_string(spec_of(*this))),
                        "name one of its parts: element[0] or element[\"name\"].");
}

TensorSpec spec_of(const Array& array) {
  return {array.dtype(), array.shape(), array.holds_strings()};
}

ElementSpec spec_of(const Element& element) {
  ElementSpec spec{element.structure(), {}};
  for (const Array& array : element.arrays()) spec.arrays.push_back(spec_of(array));
  return spec;
}

std::string to_string(const TensorSpec& spec) {
  return fmt::format("{}{}", spec.text ? "string" : name_of(spec.dtype), to_string(spec.shape));
}

namespace {
std::string text_of(const Structure& structure, const std::vector<TensorSpec>& arrays,
                    size_t& next) {
  if (structure.is_array()) return to_string(arrays[next++]);
  std::string text;
  for (size_t i = 0; i < structure.parts().size(); ++i) {
    if (i > 0) text += ", ";
    if (structure.is_table()) text += structure.names()[i] + ": ";
    text += text_of(structure.parts()[i], arrays, next);
  }
  return structure.is_table() ? "{" + text + "}" : "(" + text + ")";
}
}  // namespace

std::string to_string(const ElementSpec& spec) {
  size_t next = 0;
  return text_of(spec.structure, spec.arrays, next);
}

}  // namespace stoker
