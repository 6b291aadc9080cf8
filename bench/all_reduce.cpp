// mpirun -n 2 build/bench/all_reduce [count]: the time of an all-reduce by the plugin and by MPI's
// own function, alternating.
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <vector>

#include "distribution/collectives.h"
#include "stoker/dtype.h"
#include "stoker/error.h"
#include "stoker/say.h"

using namespace stoker;

namespace {

constexpr int turns = 200, calls = 20;

// Open MPI's, which the plugin has loaded: its handles are addresses of objects.
using Bare = int (*)(const void*, void*, int, void*, void*, void*);

void* symbol(const char* name) {
  if (void* const found = dlsym(RTLD_DEFAULT, name)) return found;
  throw DeviceError(fmt::format("there is no {}: start it by Open MPI's mpirun.", name));
}

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + std::ssize(values) / 2);
  return values[values.size() / 2];
}

template <class Call>
double microseconds(const Call& call) {
  distribution::collectives().barrier();
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) call();
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
  return took.count() / calls;
}

void compare(int count) {
  const auto bare = reinterpret_cast<Bare>(symbol("MPI_Allreduce"));
  void *const world = symbol("ompi_mpi_comm_world"), *const type = symbol("ompi_mpi_float"),
              *const sum = symbol("ompi_mpi_op_sum");
  std::vector<float> from(static_cast<size_t>(count)), to(from.size());
  std::vector<double> own, mpi, ratio;
  for (int i = 0; i < turns; ++i) {
    own.push_back(microseconds([&] {
      distribution::collectives().all_reduce(from.data(), to.data(), count,
                                             static_cast<int32_t>(DType::float32));
    }));
    mpi.push_back(microseconds([&] { bare(from.data(), to.data(), count, type, sum, world); }));
    ratio.push_back(own.back() / mpi.back());
  }
  say(stdout,
      fmt::format("{} floats, {} ranks: {:.1f} us, bare MPI {:.1f} us, median of {} ratios "
                  "of alternating runs {:.3f}\n",
                  count, distribution::size(), median(own), median(mpi), turns, median(ratio)));
}

}  // namespace

int main(int argc, char** argv) try {
  distribution::join();
  compare(argc > 1 ? std::atoi(argv[1]) : 100'000);
} catch (const Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
