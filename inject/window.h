#pragma once
#include <cxxabi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

// The kernels seen in a time window, and their summary as JSON. Uses only the standard library:
// this runs inside other programs.
namespace stoker::inject {

inline std::string json_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e ? '?' : c;
  }
  return out + '"';
}

inline std::string refusal(const std::string& why) {
  return "{\"refused\": " + json_text(why) + "}";
}

// A demangled kernel name, truncated: "at::native::fill<float>(…".
inline std::string readable(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), std::free);
  std::string name = mangled.rfind("_Z", 0) == 0 && text ? text.get() : mangled;
  if (name.rfind("void ", 0) == 0) name.erase(0, 5);
  return name.substr(0, 100);
}

class Window {
 public:
  void add_kernel(const char* name, uint64_t begin, uint64_t end) {
    const std::lock_guard lock(guard_);
    if (begin == 0 || end < begin) return void(++without_time_);
    kernels_.push_back({begin, end});
    Total& total = totals_[std::string(name ? name : "")];
    ++total.count;
    total.nanoseconds += end - begin;
  }
  void add_copy(uint64_t begin, uint64_t end, uint64_t bytes, bool pageable) {
    const std::lock_guard lock(guard_);
    if (begin == 0 || end < begin) return void(++without_time_);
    copies_.push_back({begin, end});
    copied_ += bytes;
    if (pageable) pageable_ += bytes;
  }
  void add_dropped(uint64_t records) {
    const std::lock_guard lock(guard_);
    dropped_ += records;
  }

  // As JSON, and resets. Times in seconds.
  std::string take(uint64_t begin, uint64_t end, int pid) {
    const std::lock_guard lock(guard_);
    std::vector<Interval> all = kernels_;
    all.insert(all.end(), copies_.begin(), copies_.end());
    const double length = seconds(end - begin);
    const std::vector<Interval> work = merged(kernels_, begin, end);
    std::string text = "{\"pid\": " + std::to_string(pid) + number("seconds", length) +
                       number("kernels", static_cast<double>(kernels_.size())) +
                       number("kernel_seconds", sum(work)) +
                       number("busy_seconds", sum(merged(all, begin, end))) +
                       number("median_kernel", median(lengths(kernels_))) +
                       number("median_gap", median(gaps(work))) +
                       number("copies", static_cast<double>(copies_.size())) +
                       number("copy_seconds", sum(merged(copies_, begin, end))) +
                       number("copied_bytes", static_cast<double>(copied_)) +
                       number("pageable_bytes", static_cast<double>(pageable_)) +
                       number("dropped", static_cast<double>(dropped_)) +
                       number("without_time", static_cast<double>(without_time_)) +
                       ", \"longest\": [" + longest() + "]}";
    clear();
    return text;
  }

 private:
  struct Interval {
    uint64_t begin, end;
  };
  struct Total {
    uint64_t count = 0, nanoseconds = 0;
  };

  static double seconds(uint64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-9; }
  static std::string number(const char* name, double value) {
    char text[96];
    std::snprintf(text, sizeof text, ", \"%s\": %.9g", name, value);
    return text;
  }
  // The union of the intervals, clipped to the window.
  static std::vector<Interval> merged(std::vector<Interval> all, uint64_t begin, uint64_t end) {
    std::sort(all.begin(), all.end(),
              [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
    std::vector<Interval> out;
    for (const Interval& i : all) {
      const Interval cut{std::max(i.begin, begin), std::min(i.end, end)};
      if (cut.end <= cut.begin) continue;
      if (out.empty() || cut.begin > out.back().end)
        out.push_back(cut);
      else
        out.back().end = std::max(out.back().end, cut.end);
    }
    return out;
  }
  static double sum(const std::vector<Interval>& intervals) {
    uint64_t all = 0;
    for (const Interval& i : intervals) all += i.end - i.begin;
    return seconds(all);
  }
  static std::vector<uint64_t> lengths(const std::vector<Interval>& intervals) {
    std::vector<uint64_t> found;
    for (const Interval& i : intervals) found.push_back(i.end - i.begin);
    return found;
  }
  static std::vector<uint64_t> gaps(const std::vector<Interval>& work) {
    std::vector<uint64_t> found;
    for (size_t i = 1; i < work.size(); ++i) found.push_back(work[i].begin - work[i - 1].end);
    return found;
  }
  static double median(std::vector<uint64_t> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return seconds(*middle);
  }
  std::string longest() const {
    std::vector<std::pair<std::string, Total>> sorted(totals_.begin(), totals_.end());
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
      return a.second.nanoseconds > b.second.nanoseconds;
    });
    std::string text;
    for (size_t i = 0; i < sorted.size() && i < 5; ++i)
      text += std::string(i > 0 ? ", " : "") +
              "{\"name\": " + json_text(readable(sorted[i].first)) +
              number("count", static_cast<double>(sorted[i].second.count)) +
              number("seconds", seconds(sorted[i].second.nanoseconds)) + "}";
    return text;
  }
  void clear() {
    kernels_.clear();
    copies_.clear();
    totals_.clear();
    copied_ = pageable_ = dropped_ = without_time_ = 0;
  }

  std::mutex guard_;
  std::vector<Interval> kernels_, copies_;
  std::map<std::string, Total> totals_;
  uint64_t copied_ = 0, pageable_ = 0, dropped_ = 0, without_time_ = 0;
};

}  // namespace stoker::inject
