#pragma once
#include <cstdint>
#include <string>

#include "stoker/array.h"

namespace stoker {

// A TensorBoard event file, readable while it grows: one per run, in its own folder.
class EventFile {
 public:
  explicit EventFile(const std::string& folder);  // created if necessary
  ~EventFile();
  EventFile(const EventFile&) = delete;
  EventFile& operator=(const EventFile&) = delete;

  const std::string& path() const { return path_; }
  void add_scalar(const std::string& tag, double value, int64_t step);
  // A histogram with 30 equal bins over the range of the values.
  void add_histogram(const std::string& tag, const Array& values, int64_t step);
  void add_graph(const std::string& graph_def);   // a tensorflow.GraphDef
  void add_keras_model(const std::string& json);  // its layers, in the form of Keras's to_json
  void flush();                                   // makes everything added visible to readers

 private:
  std::string path_, waiting_;
  int fd_ = -1;
};

}  // namespace stoker
