#pragma once
#include <cstdint>
#include <string>

#include "stoker/array.h"

namespace stoker {

// A file that TensorBoard shows the curves of while it grows: one per run, in a folder of its own.
class EventFile {
 public:
  explicit EventFile(const std::string& folder);  // made if need be
  ~EventFile();
  EventFile(const EventFile&) = delete;
  EventFile& operator=(const EventFile&) = delete;

  const std::string& path() const { return path_; }
  void add_scalar(const std::string& tag, double value, int64_t step);
  // How often values lie in each of 30 equal parts of their range.
  void add_histogram(const std::string& tag, const Array& values, int64_t step);
  void add_graph(const std::string& graph_def);   // a tensorflow.GraphDef
  void add_keras_model(const std::string& json);  // its layers, as Keras's to_json spells them
  void flush();                                   // what was added becomes visible to readers

 private:
  std::string path_, waiting_;
  int fd_ = -1;
};

}  // namespace stoker
