#include "disk_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/cache_folder.h"

namespace stoker::cuda {
namespace {

uint64_t fnv1a(const std::string& text, uint64_t seed) {
  uint64_t hash = seed;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

std::filesystem::path file_of(const std::string& key) {
  return cache_folder() / fmt::format("{:016x}{:016x}.bin", fnv1a(key, 0xcbf29ce484222325u),
                                      fnv1a(key, 0x84222325cbf29ce4u));
}

std::string header_of(const std::string& key, const std::string& bytes) {
  return fmt::format("stoker cache 1\n{}\n{}\n{:016x}\n", key.size(), bytes.size(),
                     fnv1a(bytes, 0xcbf29ce484222325u));
}

// Without fsync: a file damaged by a crash fails its check.
bool write_whole(const std::filesystem::path& path, const std::string& bytes) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return false;
  size_t at = 0;
  while (at < bytes.size()) {
    const ssize_t wrote = ::write(file, bytes.data() + at, bytes.size() - at);
    if (wrote <= 0) break;
    at += static_cast<size_t>(wrote);
  }
  return close(file) == 0 && at == bytes.size();
}

}  // namespace

std::string read_cached(const std::string& key) {
  if (cache_folder().empty()) return "";
  std::ifstream file(file_of(key), std::ios::binary);
  if (!file) return "";
  std::ostringstream all;
  all << file.rdbuf();
  const std::string whole = all.str();
  const size_t at = whole.find(key);
  if (at == std::string::npos) return "";
  const std::string bytes = whole.substr(at + key.size());
  return whole.compare(0, at, header_of(key, bytes)) == 0 ? bytes : "";
}

void write_cached(const std::string& key, const std::string& bytes) {
  if (cache_folder().empty()) return;
  std::error_code ignored;
  std::filesystem::create_directories(cache_folder(), ignored);
  const auto path = file_of(key);
  const std::filesystem::path temporary =
      path.string() + fmt::format(".{}.{:x}", getpid(), reinterpret_cast<uintptr_t>(&ignored));
  if (write_whole(temporary, header_of(key, bytes) + key + bytes))
    std::filesystem::rename(temporary, path, ignored);
  else
    std::filesystem::remove(temporary, ignored);
}

}  // namespace stoker::cuda
