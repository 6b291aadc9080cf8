#include "io/event_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <vector>

#include "core/host_name.h"
#include "core/main_process.h"
#include "io/little_endian.h"
#include "io/protobuf.h"
#include "io/records/tfrecord_frame.h"
#include "stoker/error.h"

namespace stoker {
namespace {

using protobuf::double_field;
using protobuf::field;

double now() {
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since_1970).count();
}

// TensorBoard finds files by their names, and reads them in that order.
std::string file_name() {
  static std::atomic<int> count{0};
  return fmt::format("events.out.tfevents.{:010}.{}.{}.{}.v2", static_cast<int64_t>(now()),
                     host_name(), ::getpid(), count++);
}

// tensorflow.Event
std::string event(int64_t step, const std::string& content) {
  return tfrecord::encode(double_field(1, now()) + field(2, static_cast<uint64_t>(step)) + content);
}

// tensorflow.Summary.Value in TensorFlow 2's form: a tensor, and the plugin that displays it.
std::string scalar(const std::string& tag, float value) {
  constexpr uint64_t float32 = 1, class_scalar = 1;
  const std::string shape;
  const std::string tensor =
      field(1, float32) + field(2, shape) + field(5, little_endian(std::bit_cast<uint32_t>(value)));
  const std::string metadata = field(1, field(1, "scalars")) + field(4, class_scalar);
  return field(1, tag) + field(8, tensor) + field(9, metadata);
}

struct Bucket {
  double left, right, count;
};

// TensorBoard's rule: if all values are equal, they are in the last bucket, which has their width.
std::vector<Bucket> buckets_of(const Array& values) {
  constexpr size_t count = 30;
  std::vector<Bucket> buckets(count, Bucket{0, 0, 0});
  if (values.size() == 0) return buckets;
  double least = values.at(0), most = least;
  for (int64_t i = 1; i < values.size(); ++i) {
    least = std::min(least, values.at(i));
    most = std::max(most, values.at(i));
  }
  const double width = (most - least) / count;
  for (size_t b = 0; b < count; ++b)
    buckets[b] = {least + width * static_cast<double>(b),
                  least + width * static_cast<double>(b + 1), 0};
  buckets.back().right = most;
  for (int64_t i = 0; i < values.size(); ++i) {
    const double at = width > 0 ? (values.at(i) - least) / width : static_cast<double>(count);
    ++buckets[static_cast<size_t>(std::clamp(at, 0.0, count - 1.0))].count;
  }
  return buckets;
}

std::string histogram(const std::string& tag, const std::vector<Bucket>& buckets) {
  constexpr uint64_t float64 = 2, class_tensor = 2, columns = 3;
  std::string numbers;
  for (const Bucket& bucket : buckets)
    for (double number : {bucket.left, bucket.right, bucket.count})
      numbers += little_endian(std::bit_cast<uint64_t>(number));
  const std::string shape = field(2, field(1, buckets.size())) + field(2, field(1, columns));
  const std::string tensor = field(1, float64) + field(2, shape) + field(4, numbers);
  const std::string metadata = field(1, field(1, "histograms")) + field(4, class_tensor);
  return field(1, tag) + field(8, tensor) + field(9, metadata);
}

std::string keras_model(const std::string& json) {
  constexpr uint64_t string = 7;
  const std::string shape;
  const std::string tensor = field(1, string) + field(2, shape) + field(8, json);
  const std::string metadata = field(1, field(1, "graph_keras_model") + field(2, "1"));
  return field(1, "keras") + field(8, tensor) + field(9, metadata);
}

}  // namespace

EventFile::EventFile(const std::string& folder) {
  std::error_code error;
  if (is_main_process()) {
    std::filesystem::create_directories(folder, error);
    path_ = folder + "/" + file_name();
    fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
  } else {
    path_ = "/dev/null";
    fd_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  }
  if (fd_ < 0) throw IoError(fmt::format("cannot create \"{}\": {}.", path_, std::strerror(errno)));
  waiting_ = tfrecord::encode(double_field(1, now()) + field(3, "brain.Event:2"));
  flush();
}

EventFile::~EventFile() {
  try {
    flush();
  } catch (const Error&) {  // errors cannot be reported here; use flush()
  }
  ::close(fd_);
}

void EventFile::add_histogram(const std::string& tag, const Array& values, int64_t step) {
  waiting_ += event(step, field(5, field(1, histogram(tag, buckets_of(values)))));
}

void EventFile::add_scalar(const std::string& tag, double value, int64_t step) {
  waiting_ += event(step, field(5, field(1, scalar(tag, static_cast<float>(value)))));
}

void EventFile::add_graph(const std::string& graph_def) {
  waiting_ += event(0, field(4, graph_def));
}

void EventFile::add_keras_model(const std::string& json) {
  waiting_ += event(0, field(5, field(1, keras_model(json))));
}

void EventFile::flush() {
  while (!waiting_.empty()) {
    const ssize_t n = ::write(fd_, waiting_.data(), waiting_.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw IoError(fmt::format("cannot write \"{}\": {}.", path_, std::strerror(errno)));
    waiting_.erase(0, static_cast<size_t>(n));
  }
}

}  // namespace stoker
