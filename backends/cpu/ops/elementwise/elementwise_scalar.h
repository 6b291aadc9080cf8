#pragma once
#include <cmath>
#include <cstdint>
#include <functional>
#include <type_traits>

// What each elementwise op does to one element: its meaning, in one place.
namespace stoker::cpu::scalar {

// Integers wrap around as in numpy; computing in unsigned keeps that defined.
template <class T, class F>
T wrapped(T a, T b, F f) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(f(static_cast<U>(a), static_cast<U>(b)));
  } else {
    return f(a, b);
  }
}

struct Add {
  template <class T>
  T operator()(T a, T b) const {
    return wrapped(a, b, std::plus<>());
  }
};
struct Subtract {
  template <class T>
  T operator()(T a, T b) const {
    return wrapped(a, b, std::minus<>());
  }
};
struct Multiply {
  template <class T>
  T operator()(T a, T b) const {
    // Widened by hand: two uint16 promoted to int could overflow it.
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    else
      return a * b;
  }
};
struct Negative {
  template <class T>
  T operator()(T a) const {
    if constexpr (std::is_integral_v<T>)
      return Subtract()(T{0}, a);
    else
      return -a;
  }
};
// Dividing an integer by zero gives zero: a step has no way to stop half-way.
struct Divide {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      if (b == 0) return 0;
      if (std::is_signed_v<T> && b == static_cast<T>(-1)) return Negative()(a);
    }
    return static_cast<T>(a / b);
  }
};
// NaN in either operand gives NaN.
struct Maximum {
  template <class T>
  T operator()(T a, T b) const {
    return a > b || a != a ? a : b;
  }
};
struct Minimum {
  template <class T>
  T operator()(T a, T b) const {
    return a < b || a != a ? a : b;
  }
};
struct Power {
  template <class T>
  T operator()(T base, T exponent) const {
    if constexpr (std::is_floating_point_v<T>) return std::pow(base, exponent);
    if (exponent < T{0}) {  // 1 / base^n, which only 1 and -1 keep from being a fraction
      const bool minus_one = std::is_signed_v<T> && base == static_cast<T>(-1);
      if (minus_one) return static_cast<T>(static_cast<int64_t>(exponent) % 2 ? -1 : 1);
      return static_cast<T>(base == T{1});
    }
    T result = 1;
    for (auto left = static_cast<uint64_t>(exponent); left > 0; left /= 2) {
      if (left % 2) result = Multiply()(result, base);
      base = Multiply()(base, base);
    }
    return result;
  }
};
struct ReluGrad {
  template <class T>
  T operator()(T g, T y) const {
    return y > T{0} ? g : T{0};
  }
};
struct Square {
  template <class T>
  T operator()(T a) const {
    return Multiply()(a, a);
  }
};
struct Abs {
  template <class T>
  T operator()(T a) const {
    if constexpr (std::is_floating_point_v<T>)
      return std::abs(a);
    else
      return a < T{0} ? Negative()(a) : a;
  }
};
struct Sign {
  template <class T>
  T operator()(T a) const {
    return a != a ? a : static_cast<T>((a > T{0}) - (a < T{0}));
  }
};
struct Relu {
  template <class T>
  T operator()(T a) const {
    return a < T{0} ? T{0} : a;
  }
};

#define STOKER_SCALAR(Name, expression) \
  struct Name {                         \
    template <class T>                  \
    T operator()(T a) const {           \
      return expression;                \
    }                                   \
  };
STOKER_SCALAR(Exp, std::exp(a))
STOKER_SCALAR(Log, std::log(a))
STOKER_SCALAR(Log1p, std::log1p(a))
STOKER_SCALAR(Expm1, std::expm1(a))
STOKER_SCALAR(Sqrt, std::sqrt(a))
STOKER_SCALAR(Rsqrt, T{1} / std::sqrt(a))
STOKER_SCALAR(Reciprocal, T{1} / a)
STOKER_SCALAR(Floor, std::floor(a))
STOKER_SCALAR(Sin, std::sin(a))
STOKER_SCALAR(Cos, std::cos(a))
STOKER_SCALAR(Tanh, std::tanh(a))
STOKER_SCALAR(Sigmoid, T{1} / (T{1} + std::exp(-a)))
STOKER_SCALAR(Erf, std::erf(a))
#undef STOKER_SCALAR

// Bools are bytes of 0 and 1.
#define STOKER_PREDICATE(Name, expression) \
  struct Name {                            \
    template <class T>                     \
    uint8_t operator()(T a, T b) const {   \
      return expression;                   \
    }                                      \
  };
STOKER_PREDICATE(Equal, a == b)
STOKER_PREDICATE(NotEqual, a != b)
STOKER_PREDICATE(Greater, a > b)
STOKER_PREDICATE(GreaterEqual, a >= b)
STOKER_PREDICATE(Less, a < b)
STOKER_PREDICATE(LessEqual, a <= b)
STOKER_PREDICATE(LogicalAnd, (a != 0) & (b != 0))
STOKER_PREDICATE(LogicalOr, (a != 0) | (b != 0))
#undef STOKER_PREDICATE

struct LogicalNot {
  uint8_t operator()(uint8_t a) const { return a == 0; }
};
struct IsFinite {
  template <class T>
  uint8_t operator()(T a) const {
    return std::isfinite(a);
  }
};

}  // namespace stoker::cpu::scalar
