#pragma once
#include <vector>

#include "io/hdf5/hdf5_file.h"

namespace stoker::h5 {

enum class MessageType : uint16_t {
  dataspace = 0x1,
  link_info = 0x2,
  datatype = 0x3,
  link = 0x6,
  external_files = 0x7,
  layout = 0x8,
  filters = 0xb,
  attribute = 0xc,
  continuation = 0x10,
  symbol_table = 0x11,
  attribute_info = 0x15
};

struct Message {
  MessageType type;
  Blob body;
};

// The messages in the header of a group or dataset, in file order.
class ObjectHeader {
 public:
  ObjectHeader(File& file, uint64_t address);

  const std::vector<Message>& messages() const { return messages_; }
  const Blob* find(MessageType type) const;
  const Blob& get(MessageType type, std::string_view what) const;

 private:
  struct Chunk {
    uint64_t address, size;
  };
  void read_version_1(File& file, uint64_t address);
  void read_version_2(File& file, uint64_t address);
  void read_messages(const Blob& chunk, std::vector<Chunk>& chunks);
  void add(uint16_t type, uint8_t flags, Blob body, std::vector<Chunk>& chunks);

  Blob start_;
  bool old_ = true, ordered_ = false;
  std::vector<Message> messages_;
};

}  // namespace stoker::h5
