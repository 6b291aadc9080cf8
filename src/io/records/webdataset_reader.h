#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/records/tar_reader.h"
#include "stoker/error.h"

namespace stoker {

// Consecutive members of a tar archive with the same key: "train/0001.seg.png" has the key
// "train/0001" and the extension "seg.png" (lower case).
struct WebSample {
  struct Part {
    std::string extension;
    std::string_view bytes;
    std::shared_ptr<const void> owner;
  };
  std::string key;
  std::vector<Part> parts;
  uint64_t offset = 0;  // of the first member's header

  const Part* find(std::string_view extension) const;  // null: none
};

// Samples of a WebDataset shard. Members without an extension, hidden ones (".x", "a/._b.jpg") and
// WebDataset's own ("__name__") belong to none.
class WebDatasetReader {
 public:
  explicit WebDatasetReader(TarReader tar) : tar_(std::move(tar)) {}

  bool next(WebSample& sample);     // false at the end
  uint64_t skip(uint64_t samples);  // their contents are not read; fewer only at the end
  uint64_t position() const { return number_; }  // samples before the next one

 private:
  bool take(WebSample* sample);
  bool advance();
  IoError two_files(const WebSample& sample) const;

  TarReader tar_;
  TarMember member_;
  std::string key_, extension_;  // of member_, which is not delivered yet
  bool waiting_ = false;         // is there such a member?
  uint64_t number_ = 0;
};

}  // namespace stoker
