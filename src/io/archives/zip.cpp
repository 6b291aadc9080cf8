#include "io/archives/zip.h"

#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <set>

#include "io/archives/inflate.h"
#include "io/byte_cursor.h"
#include "io/verify_checksums.h"
#include "stoker/error.h"
#include "stoker/suggest.h"

namespace stoker {
namespace {

constexpr uint32_t local_magic = 0x04034b50, member_magic = 0x02014b50, end_magic = 0x06054b50;
constexpr uint32_t end64_magic = 0x06064b50, locator64_magic = 0x07064b50;
constexpr size_t end_size = 22, locator64_size = 20;
constexpr uint16_t stored = 0, deflated = 8;

void refuse_name(const ByteCursor& cursor, const std::string& name) {
  if (!is_safe_member_name(name))
    cursor.fail(fmt::format("the archive has a member with the unsafe name {:?}.", name));
}

// Sizes of 0xffffffff in the directory are replaced, in this order, by the zip64 extra field.
void read_zip64(const Blob& extras, std::initializer_list<uint64_t*> fields) {
  for (ByteCursor cursor(extras); cursor.remaining() >= 4;) {
    const uint16_t id = cursor.little_endian<uint16_t>("an extra field");
    const Blob body =
        cursor.take(cursor.little_endian<uint16_t>("an extra field"), "an extra field");
    if (id != 1) continue;
    ByteCursor values(body);
    for (uint64_t* field : fields)
      if (*field == 0xffffffff) *field = values.little_endian<uint64_t>("a zip64 size");
  }
}

uint32_t checksum(uint32_t crc, std::span<const std::byte> bytes) {
  return static_cast<uint32_t>(
      crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

// A colon is harmless: members are never written as files.
bool is_safe_member_name(const std::string& name) {
  const std::string padded = "/" + name + "/";
  return !name.empty() && name.front() != '/' && padded.find("/../") == padded.npos &&
         name.find('\\') == name.npos && name.find('\0') == name.npos;
}

bool is_zip(const Blob& file) {
  return file.text().starts_with("PK\x03\x04") || file.text().starts_with("PK\x05\x06");
}

ZipReader::ZipReader(Blob file) : file_(std::move(file)) {
  const Directory directory = find_directory();
  if (directory.offset > directory.end || directory.size != directory.end - directory.offset)
    file_.fail(directory.end, "the archive's directory does not end where it should.");
  ByteCursor cursor(file_, directory.offset);
  std::set<std::string> seen;
  for (uint64_t i = 0; i < directory.count; ++i) {
    Member member = read_member(cursor);
    if (!seen.insert(member.name).second)
      cursor.fail(fmt::format("the archive has two members named \"{}\".", member.name));
    locate(member, directory.offset);
    members_.push_back(std::move(member));
  }
  if (cursor.offset() != directory.offset + directory.size)
    cursor.fail("the archive's directory is not as long as declared.");
  refuse_overlaps_and_gaps(directory.offset);
}

ZipReader::Directory ZipReader::find_directory() const {
  // Only the archive's comment of up to 65535 bytes may follow the end record.
  for (size_t tail = end_size; tail <= std::min(file_.size(), end_size + 0xffff); ++tail) {
    const size_t at = file_.size() - tail;
    ByteCursor cursor(file_, at);
    if (cursor.little_endian<uint32_t>("the end record") != end_magic) continue;
    cursor.skip(6, "the end record");
    Directory directory;
    directory.count = cursor.little_endian<uint16_t>("the end record");
    directory.size = cursor.little_endian<uint32_t>("the end record");
    directory.offset = cursor.little_endian<uint32_t>("the end record");
    if (cursor.little_endian<uint16_t>("the end record") != cursor.remaining()) continue;
    directory.end = at;
    const bool large =
        directory.count == 0xffff || directory.size == 0xffffffff || directory.offset == 0xffffffff;
    return large ? zip64_directory(at) : directory;
  }
  file_.fail(file_.size(), "the zip archive is cut short: its directory is missing.");
}

ZipReader::Directory ZipReader::zip64_directory(size_t end_record) const {
  if (end_record < locator64_size) file_.fail(end_record, "the zip64 locator is missing.");
  ByteCursor locator(file_, end_record - locator64_size);
  if (locator.little_endian<uint32_t>("the zip64 locator") != locator64_magic)
    locator.fail("the zip64 locator is missing.");
  locator.skip(4, "the zip64 locator");
  Directory directory;
  directory.end = locator.little_endian<uint64_t>("the zip64 locator");
  ByteCursor cursor(file_, directory.end);
  if (cursor.little_endian<uint32_t>("the zip64 end record") != end64_magic)
    cursor.fail("the zip64 end record is missing.");
  cursor.skip(28, "the zip64 end record");
  directory.count = cursor.little_endian<uint64_t>("the zip64 end record");
  directory.size = cursor.little_endian<uint64_t>("the zip64 end record");
  directory.offset = cursor.little_endian<uint64_t>("the zip64 end record");
  return directory;
}

ZipReader::Member ZipReader::read_member(ByteCursor& cursor) const {
  constexpr std::string_view what = "the archive's directory";
  Member member;
  if (cursor.little_endian<uint32_t>(what) != member_magic)
    cursor.fail("the directory is damaged.");
  cursor.skip(4, what);
  const uint16_t flags = cursor.little_endian<uint16_t>(what);
  member.method = cursor.little_endian<uint16_t>(what);
  cursor.skip(4, what);
  member.crc = cursor.little_endian<uint32_t>(what);
  member.packed = cursor.little_endian<uint32_t>(what);
  member.size = cursor.little_endian<uint32_t>(what);
  const uint16_t name = cursor.little_endian<uint16_t>(what),
                 extra = cursor.little_endian<uint16_t>(what),
                 comment = cursor.little_endian<uint16_t>(what);
  cursor.skip(4, what);
  const uint32_t mode = cursor.little_endian<uint32_t>(what) >> 16;
  member.header = cursor.little_endian<uint32_t>(what);
  member.name = cursor.take(name, what).text();
  read_zip64(cursor.take(extra, what), {&member.size, &member.packed, &member.header});
  cursor.skip(comment, what);
  refuse_name(cursor, member.name);
  member.streamed = flags & (1 << 3);
  if (flags & 1) cursor.fail(fmt::format("member \"{}\" is encrypted.", member.name));
  if (S_ISLNK(mode)) cursor.fail(fmt::format("member \"{}\" is a symbolic link.", member.name));
  if (member.method != stored && member.method != deflated)
    cursor.fail(
        fmt::format("member \"{}\" uses compression method {}.", member.name, member.method),
        "stored and deflated members can be read.");
  if (member.method == stored && member.packed != member.size)
    cursor.fail(fmt::format("stored member \"{}\" has two sizes.", member.name));
  return member;
}

void ZipReader::locate(Member& member, size_t limit) const {
  constexpr std::string_view what = "a member's header";
  ByteCursor cursor(file_, member.header);
  if (cursor.little_endian<uint32_t>(what) != local_magic)
    cursor.fail("a member's header is damaged.");
  cursor.skip(22, what);
  const uint16_t name = cursor.little_endian<uint16_t>(what),
                 extra = cursor.little_endian<uint16_t>(what);
  if (cursor.take(name, what).text() != member.name)
    cursor.fail(fmt::format("member \"{}\" has another name at its data.", member.name));
  cursor.skip(extra, what);
  member.data = cursor.offset();
  if (member.data > limit || member.packed > limit - member.data)
    cursor.fail(fmt::format("member \"{}\" declares {} bytes, more than the archive has.",
                            member.name, member.packed));
}

// Bytes outside of all members could be another archive, which another program would read.
void ZipReader::refuse_overlaps_and_gaps(uint64_t end) const {
  constexpr uint64_t longest_descriptor = 24;  // sizes that follow the data of a streamed member
  std::vector<const Member*> sorted;
  for (const Member& member : members_) sorted.push_back(&member);
  std::sort(sorted.begin(), sorted.end(),
            [](const Member* a, const Member* b) { return a->header < b->header; });
  uint64_t at = 0, allowed = 0;
  const auto check = [&](uint64_t next, const std::string& before, const std::string& name) {
    if (next < at)
      file_.fail(next, fmt::format("members \"{}\" and \"{}\" overlap.", before, name));
    if (next - at > allowed)
      file_.fail(at, fmt::format("{} bytes belong to no member of the archive.", next - at));
  };
  std::string before;
  for (const Member* member : sorted) {
    check(member->header, before, member->name);
    at = member->data + member->packed;
    allowed = member->streamed ? longest_descriptor : 0;
    before = member->name;
  }
  check(end, before, "the directory");
}

std::vector<std::string> ZipReader::names() const {
  std::vector<std::string> names;
  for (const Member& member : members_) names.push_back(member.name);
  return names;
}

const ZipReader::Member* ZipReader::find(const std::string& name) const {
  const auto found = std::find_if(members_.begin(), members_.end(),
                                  [&](const Member& member) { return member.name == name; });
  return found == members_.end() ? nullptr : &*found;
}

Blob ZipReader::read(const std::string& name) const {
  const Member* member = find(name);
  if (!member)
    throw IoError(fmt::format("{} has no member \"{}\".", file_.name(), name),
                  did_you_mean(name, names()));
  const Blob packed = file_.slice(member->data, member->packed);
  const std::string full_name = file_.name() + ":" + name;
  const Blob content = member->method == stored ? packed.renamed(full_name)
                                                : inflate(packed, member->size, full_name);
  if (verify_checksums && checksum(0, content.bytes()) != member->crc)
    packed.fail(0, fmt::format("member \"{}\" is damaged: its checksum differs.", name));
  return content;
}

}  // namespace stoker
