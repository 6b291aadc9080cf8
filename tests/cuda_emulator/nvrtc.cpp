#include <fmt/format.h>
#include <nvrtc.h>

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <regex>
#include <sstream>
#include <vector>

#include "image.h"

// An NVRTC that uses the host's compiler: EMULATOR_COMPILER and EMULATOR_FOLDER come from CMake.
using stoker::emulator::make_image;
using stoker::emulator::read_file;
using stoker::emulator::temporary_path;
using stoker::emulator::write_file;

struct _nvrtcProgram {
  std::string text, log, image;
  std::map<std::string, std::string> headers;
};

namespace {

constexpr const char* shim_files[] = {"module.h",    "shim.h",         "shim_intrinsics.h",
                                      "shim_math.h", "shim_threads.h", "shim_vectors.h"};

// Undefined behaviour that would fail on a GPU, too, ends the kernel with a signal.
constexpr const char* flags =
    "-std=c++17 -O1 -fPIC -shared -nostdlib -w -ffp-contract=off -fno-exceptions -fno-rtti "
    "-fno-strict-aliasing -fno-math-errno -fvisibility=hidden -fwrapv "
    "-fsanitize=alignment,bounds -fsanitize-undefined-trap-on-error";

std::vector<std::string> kernel_names(const std::string& text) {
  static const std::regex kernel(
      R"(__global__\s+(?:__launch_bounds__\s*\([^\n]*?\)\s+)?void\s+(?:__launch_bounds__\s*\([^\n]*?\)\s+)?(\w+)\s*\()");
  std::vector<std::string> names;
  for (std::sregex_iterator at(text.begin(), text.end(), kernel), end; at != end; ++at)
    names.push_back((*at)[1]);
  return names;
}

// Replacements of GPU instructions: kernels/ptx/ of this folder instead of the backend's.
std::map<std::string, std::string> emulated_headers() {
  const std::filesystem::path folder = std::string(EMULATOR_FOLDER) + "/kernels";
  std::map<std::string, std::string> headers;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder))
    if (file.is_regular_file())
      headers[std::filesystem::relative(file.path(), folder).string()] =
          read_file(file.path().string());
  return headers;
}

std::string guard_of(std::string name) {
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return "EMULATED_" + name;
}

// Expands the includes, with include guards for #pragma once, and line directives for messages.
std::string with_included(const std::string& text, const std::string& name,
                          const std::map<std::string, std::string>& headers) {
  static const std::regex directive("#include \"([^\"]*)\"\\s*");
  std::string out = fmt::format("#line 1 \"{}\"\n", name);
  std::istringstream lines(text);
  std::smatch found;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const bool includes = std::regex_match(line, found, directive);
    const auto header = includes ? headers.find(found[1]) : headers.end();
    if (header == headers.end())
      out += line + "\n";
    else
      out += fmt::format("#ifndef {0}\n#define {0}\n{1}#endif\n#line {2} \"{3}\"\n",
                         guard_of(header->first),
                         with_included(header->second, header->first, headers), number + 1, name);
  }
  return out;
}

// extern __shared__ T name[]; becomes a pointer.
std::string with_dynamic_shared(const std::string& text) {
  static const std::regex declaration(
      R"(extern\s+__shared__\s+(?:(?:__align__|alignas)\s*\(\s*\w+\s*\)\s*)?([^;\[]*?)\b(\w+)\s*\[\s*\]\s*;)");
  return std::regex_replace(text, declaration, "$1* const $2 = ($1*)emulated_dynamic_shared;");
}

// The kernels in a namespace, then the table for the driver.
std::string host_text(const std::string& text) {
  std::string out = fmt::format("#include \"{}/shim.h\"\nnamespace {{\n{}\n", EMULATOR_FOLDER,
                                with_dynamic_shared(text));
  out += "const stoker_emulator::Kernel emulated_kernels[] = {\n";
  const auto names = kernel_names(text);
  for (const std::string& name : names)
    out += fmt::format("  stoker_emulator::Caller<{0}>::entry(\"{0}\"),\n", name);
  out += "  {}};\n}\n";
  out +=
      "extern char emulated_first[] __asm__(\"__start_emulated_shared\");\n"
      "extern char emulated_last[] __asm__(\"__stop_emulated_shared\");\n"
      // The section, and with it the two symbols, exists even if no kernel has such a variable.
      "static __attribute__((section(\"emulated_shared\"), used)) char emulated_always[16];\n";
  out += fmt::format(
      "stoker_emulator::Module stoker_emulated_module = {{{{}}, {{}}, {{}}, {{}}, nullptr,\n"
      "  emulated_kernels, {}, emulated_first, emulated_last, emulated_dynamic_shared,\n"
      "  sizeof emulated_dynamic_shared}};\n",
      names.size());
  return out;
}

std::string definitions(int count, const char* const* options) {
  std::string out;
  for (int i = 0; i < count; ++i)
    if (std::strncmp(options[i], "-D", 2) == 0) out += fmt::format(" '{}'", options[i]);
  return out;
}

bool compile(_nvrtcProgram& program, const std::string& defined) {
  const std::string source = temporary_path(".cpp"), library = source + ".so",
                    log = source + ".log";
  const std::string text = with_included(program.text, "kernel.cu", program.headers);
  const bool compiled =
      write_file(source, host_text(text)) &&
      std::system(fmt::format("{} {}{} -o '{}' '{}' -lgcc >'{}' 2>&1", EMULATOR_COMPILER, flags,
                              defined, library, source, log)
                      .c_str()) == 0;
  program.log = read_file(log);
  if (compiled) program.image = make_image(read_file(library));
  for (const std::string& file : {source, library, log}) std::filesystem::remove(file);
  return compiled;
}

// Code compiled with other flags or another shim must not be taken from a cache.
int fingerprint() {
  uint32_t hash = 2166136261u;
  const auto add = [&hash](const std::string& text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  };
  add(flags);
  add(host_text(""));
  for (const char* file : shim_files) add(read_file(fmt::format("{}/{}", EMULATOR_FOLDER, file)));
  for (const auto& [name, text] : emulated_headers()) add(name + text);
  return static_cast<int>(hash % 10000000u);
}

}  // namespace

extern "C" {

nvrtcResult nvrtcVersion(int* version_major, int* version_minor) {
  *version_major = 13;
  *version_minor = fingerprint();
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetNumSupportedArchs(int* count) {
  *count = 1;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetSupportedArchs(int* architectures) {
  *architectures = 90;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* text, const char*, int count,
                               const char* const* texts, const char* const* names) {
  *program = new _nvrtcProgram{text, "", "", emulated_headers()};
  for (int i = 0; i < count; ++i) (*program)->headers.emplace(names[i], texts[i]);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char* const* options) {
  return compile(*program, definitions(count, options)) ? NVRTC_SUCCESS : NVRTC_ERROR_COMPILATION;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
  delete *program;
  *program = nullptr;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t* size) {
  *size = program->log.size() + 1;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* log) {
  std::memcpy(log, program->log.c_str(), program->log.size() + 1);
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t* size) {
  *size = program->image.size();
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* image) {
  std::memcpy(image, program->image.data(), program->image.size());
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcGetPTXSize(nvrtcProgram, size_t*) { return NVRTC_ERROR_INVALID_INPUT; }
nvrtcResult nvrtcGetPTX(nvrtcProgram, char*) { return NVRTC_ERROR_INVALID_INPUT; }

const char* nvrtcGetErrorString(nvrtcResult result) {
  return result == NVRTC_SUCCESS ? "success" : "the host's compiler refuses it";
}

}  // extern "C"
