#include "bench_threads.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>

#include "interrupt.h"
#include "stoker/error.h"
#include "stoker/io.h"
#include "stoker/say.h"

namespace stoker::cli {
namespace {

// The output of a command; throws if it failed.
std::string output_of(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) throw IoError(fmt::format("cannot start {}.", command));
  std::string text;
  char piece[4096];
  while (const size_t count = std::fread(piece, 1, sizeof piece, pipe)) text.append(piece, count);
  const int status = pclose(pipe);
  if (status != 0 && !was_interrupted())
    throw DeviceError(fmt::format("{} ended with status {}.", command, WEXITSTATUS(status)));
  return text;
}

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

double microseconds(const BenchCase& bench_case, int64_t threads) {
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  std::string command =
      fmt::format("STOKER_NUM_THREADS={} {} bench --json --device cpu --case {} --batch {}",
                  threads, quoted(program.string()), bench_case.name, bench_case.batch);
  if (!bench_case.precision.empty()) command += " --precision " + quoted(bench_case.precision);
  const std::string text = output_of(command);
  return was_interrupted() ? 0 : parse_json(text)["us"].as_double();
}

}  // namespace

ThreadTable measure_threads(const std::vector<BenchCase>& cases,
                            const std::vector<int64_t>& threads, bool print) {
  ThreadTable table{cases, threads, {}};
  if (print) {
    say(stdout, fmt::format("{:<32}", "us/step with so many threads"));
    for (const int64_t count : threads) say(stdout, fmt::format(" {:>10}", count));
    say(stdout, "\n");
  }
  for (const BenchCase& bench_case : cases) {
    if (print) say(stdout, fmt::format("{:<32}", bench_case.label()));
    auto& row = table.us.emplace_back();
    for (const int64_t count : threads) {
      if (was_interrupted()) return table;
      row.push_back(microseconds(bench_case, count));
      if (print) say(stdout, fmt::format(" {:>10.1f}", row.back()));
      std::fflush(stdout);
    }
    if (print) say(stdout, "\n");
  }
  return table;
}

}  // namespace stoker::cli
