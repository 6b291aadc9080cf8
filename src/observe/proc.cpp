#include "observe/proc.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "core/text/valid_text.h"

namespace stoker::observe {
namespace {

namespace fs = std::filesystem;

// The fields after the name in /proc/…/stat: a name may contain blanks and parentheses.
struct Stat {
  std::string name;
  std::vector<std::string> rest;  // from the state on, which is field 3 of man proc

  double number(size_t field) const {
    return rest.size() > field - 3 ? std::strtod(rest[field - 3].c_str(), nullptr) : 0;
  }
  std::string state() const { return rest.empty() ? "" : rest[0]; }
  int64_t parent() const { return static_cast<int64_t>(number(4)); }
  double cpu_seconds() const {
    return (number(14) + number(15)) / static_cast<double>(sysconf(_SC_CLK_TCK));
  }
};

Stat parse_stat(const std::string& text) {
  const size_t open = text.find('('), close = text.rfind(')');
  if (open == text.npos || close == text.npos || close + 2 > text.size()) return {};
  std::string rest = text.substr(close + 2);
  while (!rest.empty() && rest.back() == '\n') rest.pop_back();
  // The kernel cuts names after 15 bytes, also within a character.
  return {valid_text(text.substr(open + 1, close - open - 1)), split(rest, ' ')};
}

std::vector<int64_t> numbered(const std::string& folder) {
  std::vector<int64_t> numbers;
  std::error_code ignored;
  for (fs::directory_iterator entry(folder, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    const std::string name = entry->path().filename();
    int64_t number = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), number);
    if (read.ec == std::errc() && read.ptr == name.data() + name.size()) numbers.push_back(number);
  }
  std::ranges::sort(numbers);
  return numbers;
}

ThreadSample thread_of(const std::string& folder, int64_t tid) {
  const Stat stat = parse_stat(read_text(folder + "/stat"));
  ThreadSample thread{
      .tid = tid, .name = stat.name, .state = stat.state(), .cpu_seconds = stat.cpu_seconds()};
  double nanoseconds = 0, waited = 0;  // finer than stat's hundredths
  if (std::istringstream(read_text(folder + "/schedstat")) >> nanoseconds >> waited) {
    thread.cpu_seconds = nanoseconds * 1e-9;
    thread.wait_seconds = waited * 1e-9;
  }
  return thread;
}

std::string value_of(const std::string& text, const std::string& key) {
  std::string value;
  for_each_line(text, [&](const std::string& line) {
    if (line.starts_with(key)) value = line.substr(key.size());
  });
  return value;
}

}  // namespace

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  return text.str();
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

void for_each_line(const std::string& text, const std::function<void(const std::string&)>& call) {
  for (const std::string& line : split(text, '\n')) call(line);
}

std::string Proc::of(int64_t pid, const char* file) const {
  return fmt::format("{}/proc/{}/{}", root_, pid, file);
}

bool Proc::has(int64_t pid) const {
  const Stat stat = parse_stat(read_text(of(pid, "stat")));
  return !stat.rest.empty() && stat.state() != "Z" && stat.state() != "X";
}

std::vector<int64_t> Proc::pids() const { return numbered(root_ + "/proc"); }

std::vector<int64_t> Proc::tree(int64_t pid) const {
  std::multimap<int64_t, int64_t> children;
  for (const int64_t other : pids())
    children.emplace(parse_stat(read_text(of(other, "stat"))).parent(), other);
  std::vector<int64_t> tree = {pid};
  for (size_t i = 0; i < tree.size(); ++i)  // it grows during the loop
    for (auto [child, end] = children.equal_range(tree[i]); child != end; ++child)
      if (child->second != pid) tree.push_back(child->second);
  return tree;
}

std::vector<ThreadSample> Proc::threads(int64_t pid) const {
  std::vector<ThreadSample> threads;
  const std::string folder = of(pid, "task");
  for (const int64_t tid : numbered(folder)) {
    ThreadSample thread = thread_of(fmt::format("{}/{}", folder, tid), tid);
    if (!thread.state.empty()) threads.push_back(std::move(thread));
  }
  return threads;
}

ProcessSample Proc::process(int64_t pid) const {
  const Stat stat = parse_stat(read_text(of(pid, "stat")));
  ProcessSample process{.pid = pid, .parent = stat.parent(), .name = stat.name};
  if (stat.rest.empty() || stat.state() == "Z") return process;
  process.command = command(pid);
  process.threads = threads(pid);
  process.resident_bytes = stat.number(24) * static_cast<double>(sysconf(_SC_PAGESIZE));
  process.major_faults = stat.number(12);
  const std::string read = value_of(read_text(of(pid, "io")), "read_bytes: ");
  if (!read.empty()) process.read_bytes = std::strtod(read.c_str(), nullptr);
  return process;
}

// Tools that only query the driver do not open /dev/nvidia-uvm; forked workers inherit their
// parent's files.
std::vector<int64_t> Proc::gpu_files(int64_t pid) const {
  std::vector<int64_t> minors;
  bool computes = false;
  std::error_code ignored;
  for (fs::directory_iterator file(of(pid, "fd"), ignored), end; !ignored && file != end;
       file.increment(ignored)) {
    std::error_code unreadable;
    const std::string target = fs::read_symlink(file->path(), unreadable);
    if (!target.starts_with("/dev/nvidia")) continue;
    computes = computes || target == "/dev/nvidia-uvm";
    const std::string number = target.substr(std::string("/dev/nvidia").size());
    if (!number.empty() && std::ranges::all_of(number, ::isdigit))
      minors.push_back(std::stoll(number));
  }
  std::ranges::sort(minors);
  minors.erase(std::unique(minors.begin(), minors.end()), minors.end());
  return computes ? minors : std::vector<int64_t>();
}

// Forked workers inherit the files of their parent, which is the one that computes.
std::vector<GpuProcess> Proc::gpu_users(const std::vector<int64_t>& except) const {
  std::map<int64_t, std::vector<int64_t>> files;
  for (const int64_t pid : pids())
    if (pid != getpid() && std::ranges::find(except, pid) == except.end())
      if (std::vector<int64_t> open = gpu_files(pid); !open.empty()) files[pid] = std::move(open);
  std::vector<GpuProcess> users;
  for (const auto& [pid, open] : files)
    if (!files.contains(parse_stat(read_text(of(pid, "stat"))).parent()))
      users.push_back({.pid = pid, .name = name(pid), .gpu_files = open});
  return users;
}

std::string Proc::name(int64_t pid) const { return parse_stat(read_text(of(pid, "stat"))).name; }

std::string Proc::command(int64_t pid) const {
  std::string text = read_text(of(pid, "cmdline"));
  while (!text.empty() && text.back() == '\0') text.pop_back();
  // Of one line: the blanks between arguments, and what python -c or a hostile program has in them.
  std::ranges::replace_if(
      text, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return text.empty() ? name(pid) : valid_text(text.substr(0, 300));
}

int64_t Proc::user(int64_t pid) const {
  const std::string uids = value_of(read_text(of(pid, "status")), "Uid:\t");
  return uids.empty() ? -1 : std::stoll(uids);
}

bool Proc::readable(int64_t pid) const {
  std::error_code error;
  fs::directory_iterator(of(pid, "fd"), error);
  return !error;
}

int64_t Proc::pid_inside(int64_t pid) const {
  const auto numbers = split(value_of(read_text(of(pid, "status")), "NSpid:\t"), '\t');
  return numbers.empty() ? pid : std::stoll(numbers.back());
}

}  // namespace stoker::observe
