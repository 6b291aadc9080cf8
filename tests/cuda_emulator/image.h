#pragma once
#include <string>

#include "module.h"

// The emulated NVRTC's machine code: a shared library's bytes after a header, since a module is
// loaded from a pointer only.
namespace stoker::emulator {

std::string make_image(const std::string& library);

struct LoadedImage {
  void* handle = nullptr;
  stoker_emulator::Module* module = nullptr;
};
// Null and the reason if it is not such an image.
LoadedImage load_image(const void* image, std::string& why);
void unload_image(const LoadedImage& image);

// A path for a new file, in STOKER_CACHE_DIR or the system's temporary folder.
std::string temporary_path(const char* suffix);
std::string read_file(const std::string& path);
bool write_file(const std::string& path, const std::string& bytes);

}  // namespace stoker::emulator
