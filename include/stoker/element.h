#pragma once
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "stoker/array.h"

namespace stoker {

// The structure of an element's arrays: one array, a tuple, or named parts.
class Structure {
 public:
  Structure() = default;  // one array
  static Structure tuple(std::vector<Structure> parts);
  static Structure table(std::vector<std::string> names, std::vector<Structure> parts);

  bool is_array() const { return kind_ == Kind::array; }
  bool is_tuple() const { return kind_ == Kind::tuple; }
  bool is_table() const { return kind_ == Kind::table; }
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<Structure>& parts() const { return parts_; }
  size_t arrays() const { return arrays_; }  // in all parts
  bool operator==(const Structure&) const = default;

 private:
  enum class Kind { array, tuple, table };
  Kind kind_ = Kind::array;
  std::vector<std::string> names_;
  std::vector<Structure> parts_;
  size_t arrays_ = 1;
};

// An element of a Dataset: an array, a tuple `{x, y}` or a dict `Element::table({{"image", x}})`. A
// pair can be destructured: `for (const auto& [x, y] : dataset)`.
class Element {
 public:
  Element() : structure_(Structure::tuple({})) {}           // an empty tuple
  Element(const Array& array) : arrays_{array} {}           // NOLINT: an array is an element
  Element(std::initializer_list<Element> parts);            // a tuple; one part is that part itself
  Element(Structure structure, std::vector<Array> arrays);  // in the order of the parts
  static Element tuple(const std::vector<Element>& parts);
  static Element table(const std::vector<std::pair<std::string, Element>>& parts);

  const Structure& structure() const { return structure_; }
  const std::vector<Array>& arrays() const { return arrays_; }
  std::vector<Array>& arrays() { return arrays_; }

  size_t size() const { return structure_.is_array() ? 1 : structure_.parts().size(); }
  Element operator[](size_t part) const;
  Element operator[](const std::string& name) const;
  const Array& array() const;                        // throws unless it is one
  operator const Array&() const { return array(); }  // NOLINT

 private:
  Structure structure_;
  std::vector<Array> arrays_;
};

// Part i of a pair, for structured bindings. Throws unless the element is a tuple of two arrays.
template <size_t i>
const Array& get(const Element& pair) {
  static_assert(i < 2);
  if (!pair.structure().is_tuple() || pair.arrays().size() != 2 || pair.size() != 2)
    throw InvalidArgument("the element is no pair of arrays.",
                          "take it as `const Element& element` and use element[i].");
  return pair.arrays()[i];
}

// The type of an array in an element; dimensions that vary between elements are unknown.
struct TensorSpec {
  DType dtype = DType::float32;
  Shape shape;
  bool text = false;  // strings: the dtype is ignored
  bool operator==(const TensorSpec&) const = default;
};

struct ElementSpec {
  Structure structure;
  std::vector<TensorSpec> arrays;
  bool operator==(const ElementSpec&) const = default;
};
TensorSpec spec_of(const Array& array);
ElementSpec spec_of(const Element& element);
std::string to_string(const TensorSpec& spec);   // "uint8(None, 28, 28)"
std::string to_string(const ElementSpec& spec);  // "(uint8(28, 28), int64())"

}  // namespace stoker

template <>
struct std::tuple_size<stoker::Element> : std::integral_constant<size_t, 2> {};
template <size_t i>
struct std::tuple_element<i, stoker::Element> {
  using type = const stoker::Array;
};
