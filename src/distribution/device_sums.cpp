#include "distribution/device_sums.h"

#include <fmt/format.h>

#include "device/registry.h"
#include "distribution/collectives.h"
#include "distribution/collectives_plugin.h"
#include "stoker/dtype.h"
#include "stoker/say.h"

namespace stoker::distribution {
namespace {

bool say_by_host(const std::string& why) {
  say(stderr,
      fmt::format("stoker: sums over ranks go through the host's memory, between pieces of a step: "
                  "{}\n",
                  why));
  return false;
}

}  // namespace

bool connect_devices(double timeout_seconds) {
  const StokerCollectives& all = collectives();
  const device::Device device =
      device::Registry::global().default_device("distribution::initialize()");
  const StokerCollectives* const own = collectives_in(device.backend->path);
  int64_t able = own && own->join_devices ? 1 : 0;
  all.all_reduce(&able, &able, 1, static_cast<int32_t>(DType::int64));
  if (able == 0) return true;
  if (able < all.size())
    return say_by_host(fmt::format("the devices of {} of {} ranks do not support all-reduce.",
                                   all.size() - able, all.size()));
  const char* by = "";
  if (own->join_devices(device.index, timeout_seconds, &all, &by) != 0)
    return say_by_host(own->last_error());
  say(stderr,
      fmt::format("stoker: sums over ranks are a part of the recorded steps, by {}.\n", by));
  return true;
}

}  // namespace stoker::distribution
