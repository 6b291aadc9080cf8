#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "io/records/buffered_input.h"

namespace stoker {

inline constexpr size_t tar_block = 512;

struct TarMember {
  std::string name;
  uint64_t size = 0;
  uint64_t offset = 0;  // of its header
};

struct TarHeader {
  std::string name;
  uint64_t size = 0, offset = 0;
  char type = '0';
};

// Fields that a separate header gives for the next member, because they do not fit into its own.
struct TarOverrides {
  std::optional<std::string> name;
  std::optional<uint64_t> size;
};

// Parses a block of 512 bytes and verifies its checksum. The input is for errors.
TarHeader parse_tar_header(std::string_view block, uint64_t offset, const BufferedInput& input);
// The lines "LENGTH KEY=VALUE\n" of a pax header.
void parse_pax(std::string_view text, uint64_t offset, const BufferedInput& input,
               TarOverrides& out);

}  // namespace stoker
