#pragma once
#include <string>

#include "module.h"

// What the emulated NVRTC gives out as machine code: a shared library's bytes behind a header,
// since a module is loaded from a pointer alone.
namespace stoker::emulator {

std::string make_image(const std::string& library);

struct LoadedImage {
  void* handle = nullptr;
  stoker_emulator::Module* module = nullptr;
};
// Null inside, and the reason, for what is no such image.
LoadedImage load_image(const void* image, std::string& why);
void unload_image(const LoadedImage& image);

// A path for a file that does not exist yet, in STOKER_CACHE_DIR or the system's folder for such.
std::string temporary_path(const char* suffix);
std::string read_file(const std::string& path);
bool write_file(const std::string& path, const std::string& bytes);

}  // namespace stoker::emulator
