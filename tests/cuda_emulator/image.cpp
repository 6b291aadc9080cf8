#include "image.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace stoker::emulator {
namespace {

struct Header {
  char magic[8] = {'E', 'M', 'U', 'L', 'A', 'T', 'E', 'D'};
  uint64_t bytes = 0;
};

}  // namespace

std::string make_image(const std::string& library) {
  Header header;
  header.bytes = library.size();
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) + library;
}

LoadedImage load_image(const void* image, std::string& why) {
  Header header;
  if (std::memcmp(image, header.magic, sizeof header.magic) != 0) {
    why = "this is machine code of a real GPU: STOKER_CACHE_DIR holds both kinds";
    return {};
  }
  std::memcpy(&header, image, sizeof header);
  const std::string path = temporary_path(".so");
  LoadedImage loaded;
  if (write_file(path, {static_cast<const char*>(image) + sizeof header, header.bytes}))
    loaded.handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded.handle)
    loaded.module =
        static_cast<stoker_emulator::Module*>(dlsym(loaded.handle, "stoker_emulated_module"));
  if (!loaded.module) why = fmt::format("{}: {}", path, dlerror());
  std::filesystem::remove(path);
  return loaded;
}

void unload_image(const LoadedImage& image) { dlclose(image.handle); }

std::string temporary_path(const char* suffix) {
  static std::atomic<int> count{0};
  const char* given = std::getenv("STOKER_CACHE_DIR");
  const auto folder = given ? std::filesystem::path(given) : std::filesystem::temp_directory_path();
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  return (folder / fmt::format("emulated-{}-{}{}", getpid(), count++, suffix)).string();
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream all;
  all << file.rdbuf();
  return all.str();
}

bool write_file(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  return static_cast<bool>(file.flush());
}

}  // namespace stoker::emulator
