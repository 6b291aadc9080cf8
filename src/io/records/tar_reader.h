#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "io/records/buffered_input.h"
#include "io/records/tar_header.h"

namespace stoker {

// The regular files in a tar archive (ustar, GNU, pax; also gzipped), in order. Nothing is
// extracted to disk. Folders, links and devices are skipped.
class TarReader {
 public:
  explicit TarReader(const std::string& path) : TarReader(open_input(path)) {}
  explicit TarReader(BufferedInput input) : input_(std::move(input)) {}

  bool next(TarMember& member);  // false at the end
  std::string_view content();    // of the last member; valid until next() or while owner() is held
  uint64_t skip(uint64_t members);  // returns how many were skipped: fewer only at the end
  uint64_t position() const { return number_; }  // regular files before the next one
  std::shared_ptr<const void> owner() { return input_.owner(); }
  std::string place() const;  // of the last member, for errors about its content

 private:
  bool take(TarMember& member);
  bool read_header(TarHeader& header);
  std::string read_meta(const TarHeader& header);
  void pass(uint64_t bytes);
  void note(const TarHeader& header);

  BufferedInput input_;
  TarMember last_;
  TarOverrides global_, local_;       // from pax and GNU headers, for members that follow
  uint64_t number_ = 0, unread_ = 0;  // unread_: of the last member, with padding
  bool ended_ = false;
};

}  // namespace stoker
