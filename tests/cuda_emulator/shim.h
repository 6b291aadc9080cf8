#pragma once
#include "module.h"

// Prepended to a kernel's text for the host's compiler: CUDA's language extensions. All threads of
// a launch run on one host thread, so nothing here is atomic.

#define __CUDACC_RTC__
#define __global__
#define __device__
#define __host__
#define __constant__ static
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(bytes) __attribute__((aligned(bytes)))
#define alignas(bytes) __attribute__((aligned(bytes)))  // the keyword may not follow static
// Blocks run one after the other, so one copy is enough; the driver poisons it before each.
#define __shared__ static __attribute__((section("emulated_shared")))

typedef __SIZE_TYPE__ size_t;

extern "C" __attribute__((visibility("default"))) stoker_emulator::Module stoker_emulated_module;

// The maximum per block, followed by the driver's guard zone.
static char emulated_dynamic_shared[232448 + 1024] __attribute__((aligned(1024)));

#define threadIdx stoker_emulated_module.thread
#define blockIdx stoker_emulated_module.block
#define blockDim stoker_emulated_module.threads
#define gridDim stoker_emulated_module.blocks
#define warpSize 32

#include "shim_intrinsics.h"
#include "shim_math.h"
#include "shim_threads.h"
#include "shim_vectors.h"

// Entries of the module's table, from the kernels' own types.
namespace stoker_emulator {

template <int... i>
struct Places {};
template <int n, int... i>
struct PlacesBelow : PlacesBelow<n - 1, n - 1, i...> {};
template <int... i>
struct PlacesBelow<0, i...> {
  using type = Places<i...>;
};

template <auto kernel>
struct Caller;
template <class... P, void (*kernel)(P...)>
struct Caller<kernel> {
  static constexpr Word bytes[] = {sizeof(P)..., 0};
  template <int... i>
  static void call(void** arguments, Places<i...>) {
    kernel(*static_cast<P*>(arguments[i])...);
  }
  static void run(void** arguments) { call(arguments, typename PlacesBelow<sizeof...(P)>::type()); }
  static constexpr Kernel entry(const char* name) { return {name, run, bytes, sizeof...(P)}; }
};

}  // namespace stoker_emulator
