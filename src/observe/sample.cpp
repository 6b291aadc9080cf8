#include "observe/sample.h"

#include <fmt/format.h>

#include "stoker/error.h"
#include "stoker/io.h"

namespace stoker::observe {
namespace {

// The fields of each struct, for writing and reading.
template <class V>
void fields(V& v, ThreadSample& s) {
  v("tid", s.tid), v("name", s.name), v("state", s.state), v("cpu_seconds", s.cpu_seconds);
  v("wait_seconds", s.wait_seconds);
}
template <class V>
void fields(V& v, ProcessSample& s) {
  v("pid", s.pid), v("parent", s.parent), v("name", s.name), v("command", s.command);
  v("threads", s.threads), v("read_bytes", s.read_bytes), v("resident_bytes", s.resident_bytes);
  v("major_faults", s.major_faults), v("gpu_files", s.gpu_files);
  v("files_hidden", s.files_hidden);
}
template <class V>
void fields(V& v, GpuProcess& s) {
  v("pid", s.pid), v("name", s.name), v("memory_bytes", s.memory_bytes);
  v("sm_share", s.sm_share), v("gpu_files", s.gpu_files);
}
template <class V>
void fields(V& v, GpuSample& s) {
  v("index", s.index), v("minor", s.minor), v("name", s.name), v("busy", s.busy);
  v("memory_used", s.memory_used), v("memory_total", s.memory_total);
  v("sm_clock", s.sm_clock), v("max_sm_clock", s.max_sm_clock);
  v("power", s.power), v("power_limit", s.power_limit), v("temperature", s.temperature);
  v("slowdowns", s.slowdowns), v("pcie_in", s.pcie_in), v("pcie_out", s.pcie_out);
  v("pcie_limit", s.pcie_limit), v("sm_active", s.sm_active), v("sm_occupancy", s.sm_occupancy);
  v("tensor_active", s.tensor_active), v("dram_active", s.dram_active);
  v("processes", s.processes);
}
template <class V>
void fields(V& v, HostSample& s) {
  v("cores", s.cores), v("machine_cores", s.machine_cores), v("idle_seconds", s.idle_seconds);
  v("memory_available", s.memory_available), v("memory_total", s.memory_total);
  v("memory_limit", s.memory_limit), v("memory_used", s.memory_used);
  v("throttled_seconds", s.throttled_seconds), v("network_bytes", s.network_bytes);
}
template <class V>
void fields(V& v, Sample& s) {
  v("time", s.time), v("host", s.host), v("processes", s.processes), v("gpus", s.gpus);
  v("others", s.others);
}
template <class V>
void fields(V& v, Recording& r) {
  v("version", r.version), v("pid", r.pid), v("command", r.command), v("no_gpu", r.no_gpu);
  v("ended", r.ended), v("expect", r.expect), v("samples", r.samples);
}

struct Writer {
  Config map = Config::map();

  template <class T>
  void operator()(const char* name, T& value) {
    map[name] = of(value);
  }
  static Config of(int64_t& value) { return value; }
  static Config of(double& value) { return value; }
  static Config of(std::string& value) { return value; }
  static Config of(std::optional<double>& value) { return value ? Config(*value) : Config(); }
  template <class T>
  static Config of(std::vector<T>& values) {
    Config::List list;
    for (T& value : values) list.push_back(of(value));
    return list;
  }
  template <class T>
  static Config of(T& value) {
    Writer inner;
    fields(inner, value);
    return inner.map;
  }
};

// Missing fields keep their default: recordings written by hand for tests are short.
struct Reader {
  const Config& map;

  template <class T>
  void operator()(const char* name, T& value) {
    const Config* found = map.find(name);
    if (!found || found->is_null()) return;
    try {
      read(*found, value);
    } catch (Error& error) {
      error.add_where(fmt::format("\"{}\"", name));
      throw;
    }
  }
  static void read(const Config& from, int64_t& to) { to = from.as_int(); }
  static void read(const Config& from, double& to) { to = from.as_double(); }
  static void read(const Config& from, std::string& to) { to = from.as_string(); }
  static void read(const Config& from, std::optional<double>& to) { to = from.as_double(); }
  template <class T>
  static void read(const Config& from, std::vector<T>& to) {
    for (const Config& entry : from.as_list()) read(entry, to.emplace_back());
  }
  template <class T>
  static void read(const Config& from, T& to) {
    from.as_map();  // throws for anything else
    Reader inner{from};
    fields(inner, to);
  }
};

}  // namespace

Config to_config(const Recording& recording) {
  Recording copy = recording;
  return Writer::of(copy);
}

Recording to_recording(const Config& config, const std::string& name) {
  const Config* version = config.find("version");
  if (!version || !version->is_int() || !config.find("samples"))
    throw InvalidArgument(fmt::format("\"{}\" is not a recording of samples.", name),
                          "stoker why PID --record FILE writes one.");
  if (version->as_int() != Recording::current_version)
    throw InvalidArgument(fmt::format("\"{}\" is a recording of version {}, and this program reads "
                                      "version {}.",
                                      name, version->as_int(), Recording::current_version),
                          "record it again with this program.");
  Recording recording;
  try {
    Reader::read(config, recording);
  } catch (Error& error) {
    error.add_where(fmt::format("recording \"{}\"", name));
    throw;
  }
  return recording;
}

Recording load_recording(const std::string& path) { return to_recording(load_json(path), path); }

void save_recording(const std::string& path, const Recording& recording) {
  save_json(path, to_config(recording));
}

}  // namespace stoker::observe
