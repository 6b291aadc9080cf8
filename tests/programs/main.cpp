// Fifteen programs as their authors wrote them: the account of each, and the run after its first
// advice was followed: programs [--device /gpu:0] [--only NAME]. The table is Markdown.
#include <fmt/format.h>

#include <algorithm>

#include "programs/program.h"

namespace stoker::programs {
namespace {

Array numbers(const Shape& shape) {
  Array values(DType::float32, shape);
  uint32_t state = 1;
  for (float& value : values.mutable_data<float>())
    value = static_cast<float>((state = state * 1664525U + 1013904223U) >> 8) * 0x1p-24F;
  return values;
}
Array classes(int64_t count) {
  Array values(DType::int32, {count});
  int32_t next = 0;
  for (int32_t& value : values.mutable_data<int32_t>()) value = next++ % 10;
  return values;
}

double rate(const Account& account) {
  return account.samples > 0 && account.steps > 0 && account.step_seconds > 0
             ? static_cast<double>(account.samples) / static_cast<double>(account.steps) /
                   account.step_seconds
             : 0;
}

std::string measured(const Account& account) {
  return fmt::format("{:.0f} samples/s, working {:.0f} %", rate(account),
                     account.wall > 0 ? 100 * account.busy / account.wall : 0);
}

std::string advice_of(const Account& account) {
  if (account.advice.empty()) return "–";
  const Advice& first = account.advice.front();
  std::string text = fmt::format("`{}`: {}", first.cause, first.remedy);
  if (first.step_then > 0)
    text += fmt::format(" Likely {:.2f}×.", first.step_now / first.step_then);
  return text;
}

// After the first advice, where the program can follow it.
std::string then_of(const Program& program, const Account& before) {
  if (before.advice.empty()) return "–";
  for (const Followed& followed : program.followed) {
    if (std::ranges::find(followed.causes, before.advice[0].cause) == followed.causes.end())
      continue;
    const Account after = followed.run();
    return fmt::format("{}: {}, {:.2f}×", followed.change, measured(after),
                       rate(after) / rate(before));
  }
  return "–";
}

void print(const Program& program) {
  const Account account = program.written();
  fmt::print("| {} | {} | {} | {} | {} | {} |\n", program.question, program.name, measured(account),
             account.verdict, advice_of(account), then_of(program, account));
  std::fflush(stdout);
}

int run(const std::string& device, const std::string& only) {
  on_gpu = device.find("gpu") != std::string::npos;
  const Device scope(device);
  fmt::print(
      "| question | program | as written | verdict | first advice | after it |\n"
      "|---|---|---|---|---|---|\n");
  for (const auto& group : {fits(), loops()})
    for (const Program& program : group)
      if (program.name.find(only) != std::string::npos) print(program);
  return 0;
}

}  // namespace

Data digits(int64_t count) { return {numbers({count, 784}), classes(count)}; }
Data images(int64_t count, int64_t side) {
  return {numbers({count, side, side, 3}), classes(count)};
}

Sequential dense(int64_t units, int64_t layers) {
  using namespace stoker::layers;
  set_random_seed(1);
  std::vector<Sequential::Item> stack{Input({.shape = {784}})};
  for (int64_t i = 0; i < layers; ++i)
    stack.push_back(Dense({.units = units, .activation = "relu"}));
  stack.push_back(Dense({.units = 10, .activation = "softmax"}));
  Sequential model(stack);
  model.compile(
      {.optimizer = "adam", .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}});
  return model;
}

}  // namespace stoker::programs

int main(int argc, char** argv) try {
  std::string device = "/cpu:0", only;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    if (option != "--device" && option != "--only")
      throw stoker::InvalidArgument(fmt::format("\"{}\" is no option.", option));
    (option == "--device" ? device : only) = argv[i + 1];
  }
  return stoker::programs::run(device, only);
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
