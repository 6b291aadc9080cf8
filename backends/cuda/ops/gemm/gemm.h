#pragma once
#include <string>

#include "ops/support.h"

// What the kernels of matmul, batch_matmul, fused_matmul and matmul_adam share: the problem, its
// arguments, and the text of what happens to a finished element.
namespace stoker::cuda {

struct Product {
  int64_t m = 0, n = 0, k = 0, batch = 1;
  bool trans_a = false, trans_b = false;
  DType in = DType::float32,
        out = DType::float32;  // out: of the result, or of an Adam step's states
  bool bias = false, mask = false, relu = false;
  bool adam = false, bias_step = false;  // also steps a bias with the sums of b's rows
  double beta_1 = 0, beta_2 = 0, epsilon = 0;

  int64_t lda() const { return trans_a ? m : k; }
  int64_t ldb() const { return trans_b ? k : n; }
  bool empty() const { return m == 0 || n == 0 || batch == 0; }
};
Product product_of(const NodeView& node);
std::string key_of(const Product& product);  // equal for equal products
double flops_of(const Product& product);
bool is_large(const Product& product);            // bound by arithmetic
bool is_too_much_to_try(const Product& product);  // planning must not take seconds
Product small_enough_to_try(Product product);     // of the same kind, with rows aligned as before

// Passed to kernels by value; as gemm/arguments.cuh has it.
struct ProductArguments {
  void *a, *b, *bias, *mask, *out;
  void *w, *m, *v, *step, *new_w, *new_m, *new_v;
  void *bias_w, *bias_m, *bias_v, *new_bias_w, *new_bias_m, *new_bias_v;
  void* partial;
  int64_t rows, columns, inner, batch;
  int32_t tiles_across, depth;  // of a kernel that cuts it up: tiles in a row, k of a part
};
ProductArguments bind(const Product& product, void* const* arguments, void* partial = nullptr);

// A file that includes gemm/epilogue.cuh: what happens to a finished element.
KernelSource product_source(const char* file, const Product& product);

// Elements of a row that one access can take.
int vector_width(const Product& product);

// A kernel that takes the sums of `splits` parts, one behind the other in `partial`, through
// finish. `part` is their type; a single part may lie where the result goes.
struct Finishing {
  std::shared_ptr<Function> function;
  int64_t threads, splits;
  void encode(Encoder& encoder, const ProductArguments& arguments) const;
};
Finishing make_finishing(const Product& product, DType part, int64_t splits = 1);
DType accumulator(const Product& product);  // what a product is summed in

// NVRTC's options for square roots and divisions within two units in the last place.
inline std::vector<std::string> fast_division() {
  return {"--prec-sqrt=false", "--prec-div=false"};
}

}  // namespace stoker::cuda
