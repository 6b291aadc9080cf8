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

// What a header of its own says of the member behind it, because the member's has no room for it.
struct TarOverrides {
  std::optional<std::string> name;
  std::optional<uint64_t> size;
};

// A block of 512 bytes, whose checksum must hold. The input is for errors.
TarHeader parse_tar_header(std::string_view block, uint64_t offset, const BufferedInput& input);
// A pax header's lines "LENGTH KEY=VALUE\n".
void parse_pax(std::string_view text, uint64_t offset, const BufferedInput& input,
               TarOverrides& out);

}  // namespace stoker
