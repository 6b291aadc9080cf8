#pragma once
#include <optional>

#include "nn/model_impl.h"
#include "stoker/io.h"

namespace stoker::nn {

struct Checkpoint {
  NamedArrays states;
  FitPosition at;
};

Checkpoint checkpoint_of(const SafeTensors& file);

// A folder with the newest checkpoint and the one before it. Each is a file with a checksum that
// is complete or not there.
class CheckpointFolder {
 public:
  explicit CheckpointFolder(std::string path) : path_(std::move(path)) {}
  const std::string& path() const { return path_; }

  bool holds_any() const;
  void write(const Checkpoint& checkpoint) const;
  struct Found {
    Checkpoint checkpoint;
    std::string file;
  };
  // The newest that is not damaged; says on stderr which one is. Throws IoError if all are.
  std::optional<Found> read() const;
  void remove() const;  // its files, and the folder if nothing else is in it

 private:
  void keep_latest() const;
  std::string latest() const { return path_ + "/latest.safetensors"; }
  std::string previous() const { return path_ + "/previous.safetensors"; }
  std::string path_;
};

}  // namespace stoker::nn
