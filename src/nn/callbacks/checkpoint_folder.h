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

// A folder with the newest checkpoint and the previous one. Files have a checksum and are written
// atomically.
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
  // The newest intact one; reports damaged ones on stderr. Throws IoError if all are damaged.
  std::optional<Found> read() const;
  void remove() const;  // its files, and the folder if it is empty then

 private:
  void keep_latest() const;
  std::string latest() const { return path_ + "/latest.safetensors"; }
  std::string previous() const { return path_ + "/previous.safetensors"; }
  std::string path_;
};

}  // namespace stoker::nn
