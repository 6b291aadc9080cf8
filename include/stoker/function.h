#pragma once
#include <functional>
#include <memory>
#include <type_traits>
#include <variant>
#include <vector>

#include "stoker/tensor.h"

namespace stoker {

namespace detail {
// Compiled once per input signature. While a tape is active, or inside another trace, the body is
// run directly.
class TracedFunction {
 public:
  using Body = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;
  explicit TracedFunction(Body body);
  // Arrays are sent to the device together.
  using Input = std::variant<Tensor, Array>;
  std::vector<Tensor> operator()(const std::vector<Input>& inputs) const;
  size_t traces() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};
}  // namespace detail

// `auto step = stoker::function([&](const Tensor& x, const Tensor& y) { … return loss; });` The
// first call with a new set of shapes traces the body into one compiled step; later calls run that
// step. The body takes up to eight tensors and returns a Tensor, a vector of them, or nothing.
template <class F>
class Function {
 public:
  explicit Function(F body)
      : traced_([body = std::move(body)](const std::vector<Tensor>& in) {
          return call(body, in, std::make_index_sequence<arity()>());
        }) {}

  template <class... T>
  auto operator()(const T&... inputs) const {
    static_assert(sizeof...(T) == arity(), "the function takes another number of tensors");
    auto out = traced_({as_input(inputs)...});
    if constexpr (std::is_same_v<std::invoke_result_t<F, const T&...>, Tensor>)
      return out.at(0);
    else
      return out;
  }
  size_t traces() const { return traced_.traces(); }
  static constexpr size_t tensors() { return arity(); }  // that it takes

 private:
  template <class T>
  static detail::TracedFunction::Input as_input(const T& given) {
    if constexpr (std::is_base_of_v<Array, T>)
      return Array(given);
    else
      return Tensor(given);
  }
  template <size_t... I>
  static constexpr bool takes(std::index_sequence<I...>) {
    return std::is_invocable_v<const F&, decltype((void(I), std::declval<const Tensor&>()))...>;
  }
  template <size_t n = 0>
  static constexpr size_t arity() {
    static_assert(n <= 8, "the function must take up to eight tensors");
    if constexpr (takes(std::make_index_sequence<n>()))
      return n;
    else
      return arity<n + 1>();
  }

  template <size_t... I>
  static std::vector<Tensor> call(const F& body, const std::vector<Tensor>& in,
                                  std::index_sequence<I...>) {
    using Result = decltype(body(in[I]...));
    if constexpr (std::is_void_v<Result>) {
      body(in[I]...);
      return {};
    } else if constexpr (std::is_same_v<Result, Tensor>) {
      return {body(in[I]...)};
    } else {
      return body(in[I]...);
    }
  }
  detail::TracedFunction traced_;
};

template <class F>
Function<F> function(F body) {
  return Function<F>(std::move(body));
}

}  // namespace stoker
