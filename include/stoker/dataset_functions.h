#pragma once
#include <tuple>
#include <type_traits>
#include <utility>

#include "stoker/element_function.h"
#include "stoker/tensor.h"

// How user functions given to map, filter and so on are called: with the arrays of an element, or
// the element itself, and with random numbers if they take them.
namespace stoker {

namespace detail {

// The parameters of a function, if they are unique: not of a generic lambda.
template <class F>
struct Parameters {};
template <class R, class... P>
struct Parameters<R (*)(P...)> : std::type_identity<std::tuple<P...>> {};
template <class R, class C, class... P>
struct Parameters<R (C::*)(P...)> : std::type_identity<std::tuple<P...>> {};
template <class R, class C, class... P>
struct Parameters<R (C::*)(P...) const> : std::type_identity<std::tuple<P...>> {};
template <class F>
struct ParametersOf : Parameters<F> {};
template <class F>
requires requires { &F::operator(); }
struct ParametersOf<F> : Parameters<decltype(&F::operator())> {};

template <class F, class... Last, size_t... i>
constexpr bool takes_arrays(std::index_sequence<i...>) {
  return std::is_invocable_v<F&, decltype((void(i), std::declval<const Array&>()))..., Last...>;
}
template <class F, size_t n, class... Last>
constexpr size_t arrays_of_generic() {
  constexpr size_t most = 8;
  if constexpr (n > most && sizeof...(Last) == 0)
    return arrays_of_generic<F, 1, Random&>();
  else if constexpr (n <= most && !takes_arrays<F, Last...>(std::make_index_sequence<n>()))
    return arrays_of_generic<F, n + 1, Last...>();
  else
    static_assert(n <= most, "the function must take an Element, or up to eight arrays");
  return n;
}
template <class Type, class... Types>
constexpr size_t count_of(std::type_identity<std::tuple<Types...>>) {
  return (0 + ... + (std::is_same_v<std::remove_cvref_t<Types>, Type> ? 1 : 0));
}
// The number of arrays a function takes; 0: an Element.
template <class F>
constexpr size_t arrays_taken() {
  if constexpr (requires { typename ParametersOf<F>::type; }) {
    using Types = std::type_identity<typename ParametersOf<F>::type>;
    if constexpr (count_of<Element>(Types()) > 0)
      return 0;
    else
      return std::tuple_size_v<typename Types::type> - count_of<Random>(Types());
  } else {
    return arrays_of_generic<F, 1>();
  }
}
template <class F, size_t... i>
constexpr bool needs_random(std::index_sequence<i...> arrays) {
  if constexpr (sizeof...(i) == 0)
    return !std::is_invocable_v<F&, const Element&>;
  else
    return !takes_arrays<F>(arrays);
}
// Is its last parameter Random&?
template <class F>
constexpr bool takes_random() {
  return needs_random<F>(std::make_index_sequence<arrays_taken<F>()>());
}
void check_taken(const Element& element, size_t takes);
// Random numbers are the last argument of functions that take them.
template <class F, class... Given>
decltype(auto) call_with_random(F& function, Random* random, const Given&... given) {
  if constexpr (std::is_invocable_v<F&, const Given&...>)
    return function(given...);
  else
    return function(given..., *random);
}
template <class F, size_t... i>
decltype(auto) call_with_arrays(F& function, const Element& element, Random* random,
                                std::index_sequence<i...>) {
  check_taken(element, sizeof...(i));
  return call_with_random(function, random, element.arrays()[i]...);
}
template <class F>
decltype(auto) call_with(F& function, const Element& element, Random* random = nullptr) {
  if constexpr (arrays_taken<F>() == 0)
    return call_with_random(function, random, element);
  else
    return call_with_arrays(function, element, random,
                            std::make_index_sequence<arrays_taken<F>()>());
}

inline Element element_from(Element element) { return element; }
inline Element element_from(const Array& array) { return array; }
inline Element element_from(const Tensor& tensor) { return tensor.array(); }
template <class A, class B>
Element element_from(const std::pair<A, B>& pair) {
  return Element::tuple({element_from(pair.first), element_from(pair.second)});
}
template <class... T>
Element element_from(const std::tuple<T...>& parts) {
  return std::apply([](const auto&... part) { return Element::tuple({element_from(part)...}); },
                    parts);
}

// The integer that a function returned: a number, or an array of one.
int64_t integer_of(const Element& element);
template <class T>
int64_t integer_from(const T& result) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<int64_t>(result);
  else
    return integer_of(element_from(result));
}

// A user function.
template <class F>
class FunctionOf : public ElementFunction {
 public:
  explicit FunctionOf(F function) : function_(std::move(function)) {}
  Element call(const Element& element, Random& random) const override {
    return element_from(call_with(function_, element, &random));
  }
  bool is_random() const override { return takes_random<F>(); }

 private:
  mutable F function_;
};

}  // namespace detail

}  // namespace stoker
