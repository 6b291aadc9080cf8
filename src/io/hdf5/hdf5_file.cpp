#include "io/hdf5/hdf5_file.h"

#include "io/byte_cursor.h"
#include "io/hdf5/hdf5.h"
#include "io/verify_checksums.h"

namespace stoker {

constexpr std::string_view hdf5_signature = "\x89HDF\r\n\x1a\n";

bool is_hdf5(const Blob& file) { return file.text().starts_with(hdf5_signature); }

namespace h5 {

File::File(Blob bytes) : bytes_(std::move(bytes)), left_(4 * bytes_.size() + 4096) {
  if (!is_hdf5(bytes_)) bytes_.fail(0, "this is not an HDF5 file: its signature is missing.");
  read_superblock();
}

void File::read_superblock() {
  constexpr std::string_view what = "the superblock";
  ByteCursor cursor(bytes_, hdf5_signature.size());
  const uint8_t version = cursor.little_endian<uint8_t>(what);
  if (version > 3) cursor.fail(fmt::format("superblock version {} is not known.", version));
  if (version < 2) cursor.skip(4, what);
  const uint8_t offsets = cursor.little_endian<uint8_t>(what),
                lengths = cursor.little_endian<uint8_t>(what);
  if (offsets != 8 || lengths != 8)
    cursor.fail(
        fmt::format("addresses of {} and lengths of {} bytes; both must be 8.", offsets, lengths));
  cursor.skip(version >= 2 ? 1 : version == 1 ? 13 : 9, what);
  const auto base = cursor.little_endian<uint64_t>(what);
  cursor.skip(8, what);
  const auto end = cursor.little_endian<uint64_t>(what);
  if (base != 0) cursor.fail(fmt::format("a file inside another one, from {} on.", base));
  if (verify_checksums && end != bytes_.size())
    cursor.fail(fmt::format("the file has {} bytes, but declares {}.", bytes_.size(), end),
                "it was cut short, or something was added to it.");
  if (version < 2) cursor.skip(16, what);  // the driver information and the root's name
  root_ = cursor.little_endian<uint64_t>(what);
  const size_t length = cursor.offset();
  if (version >= 2 &&
      cursor.little_endian<uint32_t>(what) != checksum(bytes_.bytes().first(length)) &&
      verify_checksums)
    cursor.fail("the superblock is damaged: its checksum differs.");
}

void File::spend(uint64_t bytes, std::string_view what) {
  if (bytes > left_)
    bytes_.fail(0, fmt::format("{} needs {} bytes, more than a file of {} bytes can hold.", what,
                               bytes, bytes_.size()));
  left_ -= bytes;
}

void File::enter(uint64_t address, std::string_view what) {
  if (!entered_.insert(address).second)
    bytes_.fail(address, fmt::format("{} is reached twice.", what),
                "hard links to the same object, and cycles, are not read.");
}

Blob File::block(uint64_t address, uint64_t size, std::string_view what) {
  if (address > bytes_.size() || size > bytes_.size() - address)
    bytes_.fail(0, fmt::format("{} has the offset {} and {} bytes, past the end at {}.", what,
                               address, size, bytes_.size()));
  spend(size, what);
  return bytes_.slice(address, size);
}

Blob File::signed_block(uint64_t address, uint64_t size, std::string_view signature,
                        std::string_view what) {
  const Blob found = block(address, size, what);
  if (!found.text().starts_with(signature))
    found.fail(0, fmt::format("{} does not begin with {:?}.", what, signature));
  return found;
}

Blob File::checked_block(uint64_t address, uint64_t size, std::string_view signature,
                         std::string_view what) {
  const Blob found = signed_block(address, size, signature, what);
  ByteCursor end(found, found.size() - 4);
  if (verify_checksums &&
      end.little_endian<uint32_t>(what) != checksum(found.bytes().first(found.size() - 4)))
    found.fail(0, fmt::format("{} is damaged: its checksum differs.", what));
  return found;
}

namespace {

struct Mix {
  uint32_t a, b, c;

  static uint32_t rotate(uint32_t value, int by) { return std::rotl(value, by); }
  void stir() {
    a -= c, a ^= rotate(c, 4), c += b;
    b -= a, b ^= rotate(a, 6), a += c;
    c -= b, c ^= rotate(b, 8), b += a;
    a -= c, a ^= rotate(c, 16), c += b;
    b -= a, b ^= rotate(a, 19), a += c;
    c -= b, c ^= rotate(b, 4), b += a;
  }
  void finish() {
    c ^= b, c -= rotate(b, 14);
    a ^= c, a -= rotate(c, 11);
    b ^= a, b -= rotate(a, 25);
    c ^= b, c -= rotate(b, 16);
    a ^= c, a -= rotate(c, 4);
    b ^= a, b -= rotate(a, 14);
    c ^= b, c -= rotate(b, 24);
  }
  void add(std::span<const std::byte> bytes) {
    uint32_t words[3] = {};
    std::memcpy(words, bytes.data(), bytes.size());
    a += words[0], b += words[1], c += words[2];
  }
};

}  // namespace

uint32_t checksum(std::span<const std::byte> bytes) {
  const uint32_t start = 0xdeadbeef + static_cast<uint32_t>(bytes.size());
  Mix mix{start, start, start};
  if (bytes.empty()) return mix.c;
  for (; bytes.size() > 12; bytes = bytes.subspan(12)) {
    mix.add(bytes.first(12));
    mix.stir();
  }
  mix.add(bytes);
  mix.finish();
  return mix.c;
}

}  // namespace h5
}  // namespace stoker
