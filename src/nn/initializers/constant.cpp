#include <fmt/format.h>

#include <algorithm>

#include "nn/initializers/initializer_impl.h"
#include "stoker/initializers.h"

namespace stoker::initializers {

template <class V>
void visit(NoArgs&, V&) {}
template <class V>
void visit(ConstantArgs& a, V& v) {
  v("value", a.value);
}
template <class V>
void visit(IdentityArgs& a, V& v) {
  v("gain", a.gain);
}

namespace {

void fill_with(Array& out, double value) {
  std::ranges::fill(out.mutable_data<float>(), static_cast<float>(value));
}

void fill_identity(const IdentityArgs& args, Array& out, uint64_t) {
  if (out.shape().rank() != 2)
    throw InvalidArgument(
        fmt::format("[identity] makes matrices only, not {}.", to_string(out.shape())));
  const int64_t rows = out.shape()[0], columns = out.shape()[1];
  for (int64_t i = 0; i < std::min(rows, columns); ++i)
    out.mutable_data<float>()[static_cast<size_t>(i * columns + i)] = static_cast<float>(args.gain);
}

const nn::RegisterInitializer<NoArgs> zeros{
    "Zeros", [](const NoArgs&) { return Zeros(); }, {"zero"}};
const nn::RegisterInitializer<NoArgs> ones{"Ones", [](const NoArgs&) { return Ones(); }, {"one"}};
const nn::RegisterInitializer<ConstantArgs> constant{"Constant", Constant};
const nn::RegisterInitializer<IdentityArgs> identity{"Identity", Identity, {"IdentityInitializer"}};

}  // namespace

Initializer Zeros() {
  return nn::make_initializer<NoArgs>(
      "Zeros", {}, [](const NoArgs&, Array&, uint64_t) {});  // arrays start as zeros
}
Initializer Ones() {
  return nn::make_initializer<NoArgs>(
      "Ones", {}, [](const NoArgs&, Array& out, uint64_t) { fill_with(out, 1); });
}
Initializer Constant(const ConstantArgs& args) {
  return nn::make_initializer<ConstantArgs>(
      "Constant", args,
      [](const ConstantArgs& a, Array& out, uint64_t) { fill_with(out, a.value); });
}
Initializer Identity(const IdentityArgs& args) {
  return nn::make_initializer("Identity", args, fill_identity);
}

}  // namespace stoker::initializers
