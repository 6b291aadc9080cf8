#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <span>

#include "io/verify_checksums.h"
#include "targets.h"

// fuzzer --format=NAME ...: libFuzzer on the reader of one format. libFuzzer itself ignores options
// that begin with "--".
namespace stoker::fuzz {
namespace {

constexpr std::string_view option = "--format=";
Format chosen;

[[noreturn]] void refuse(std::string_view name, const std::vector<Format>& formats) {
  std::string names;
  for (const Format& format : formats) names += " " + format.name;
  fmt::print(stderr, "fuzzer: unknown format \"{}\". Hint: --format=NAME with one of{}.\n", name,
             names);
  std::exit(2);
}

Format format_of(std::string_view name) {
  const std::vector<Format> formats = all_formats();
  const auto found = std::ranges::find(formats, name, &Format::name);
  if (found == formats.end()) refuse(name, formats);
  return *found;
}

}  // namespace
}  // namespace stoker::fuzz

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  using namespace stoker::fuzz;
  stoker::verify_checksums = false;  // inputs would hardly ever have a valid one
  std::string_view name;
  for (const std::string_view argument : std::span(*arguments, static_cast<size_t>(*count)))
    if (argument.starts_with(option)) name = argument.substr(option.size());
  chosen = format_of(name);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return stoker::fuzz::run(stoker::fuzz::chosen.target, data, size);
}
