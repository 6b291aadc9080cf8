#include "data/tuning/byte_account.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "stoker/pipeline_statistics.h"

namespace stoker::data {
namespace {

int64_t memory_of_machine() {
  int64_t bytes = int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGE_SIZE);
  for (const char* file :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    int64_t allowed = 0;  // "max" is no number
    if (std::ifstream(file) >> allowed && allowed > 0) bytes = std::min(bytes, allowed);
  }
  return bytes;
}

}  // namespace

ByteAccount::ByteAccount() : limit_(memory_of_machine() / 5 * 4) {}

ByteAccount& ByteAccount::global() {
  static auto* const account = new ByteAccount;  // leaked: batches may outlive main
  return *account;
}

int64_t ByteAccount::affordable(int64_t elements, int64_t bytes_each) const {
  if (bytes_each <= 0) return elements;
  return std::clamp<int64_t>(limit() / 4 / bytes_each, 1, elements);
}

void Held::set(int64_t bytes) {
  if (bytes == bytes_) return;
  meter_.add_held(bytes - bytes_);
  bytes_ = bytes;
}

int64_t bytes_of(const Element& element) {
  size_t bytes = 0;
  for (const Array& array : element.arrays())
    if (!array.holds_strings())
      bytes += array.bytes();
    else
      for (int64_t i = 0; i < array.size(); ++i) bytes += array.text(i).size();
  return static_cast<int64_t>(bytes);
}

}  // namespace stoker::data

namespace stoker {

void set_dataset_memory_limit(int64_t bytes) {
  if (bytes < 1)
    throw InvalidArgument(
        fmt::format("set_dataset_memory_limit: the limit must be positive, got {}.", bytes));
  data::ByteAccount::global().set_limit(bytes);
}
int64_t dataset_memory_limit() { return data::ByteAccount::global().limit(); }
int64_t dataset_memory() { return data::ByteAccount::global().held(); }

}  // namespace stoker
