#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <new>
#include <string>
#include <thread>

#include "command.h"
#include "interrupt.h"
#include "misspelt.h"
#include "stoker/distribution.h"
#include "stoker/error.h"
#include "stoker/interrupt.h"
#include "stoker/say.h"
#include "stoker/version.h"

namespace {

using namespace stoker;
using namespace stoker::cli;

constexpr const char* examples = R"(Examples:
  stoker train examples/recipes/fashion_mnist.toml
  stoker train model.keras --x x.npy --y y.npy --epochs 5 --save trained.keras --history h.json
  stoker predict trained.keras --x x.npy --out y.npy
  stoker convert old.h5 new.keras
  stoker train model.keras --data images/train --validation-data images/val --image-size 224
  stoker data images/train
  stoker pack images/train train.stk
  stoker train recipe.toml --set fit.epochs=20 --set model.layers.3.units=256
  stoker evaluate recipe.toml --weights runs/recipe/best.safetensors
  stoker predict recipe.toml --weights runs/recipe/best.safetensors --x x.npy --out y.npy
  stoker summary recipe.toml
  stoker plan recipe.toml --batch-size 256
  stoker train recipe.toml --processes 4
  stoker launch -n 4 -- build/examples/fashion_mnist
  stoker devices --json
  stoker why 4711
  stoker why -- python train.py
  stoker top
  stoker doctor
  stoker train recipe.toml --report run.html
  stoker report runs/recipe
  stoker compare runs/before runs/after

Exit status: 0 done, 1 failed, 2 wrong usage, 128 + n ended by signal n: 130 by Ctrl-C (what was trained is saved).)";

// An error of all ranks is reported by rank 0, which terminates the others.
bool reports_an_error() {
  constexpr auto interval = std::chrono::milliseconds(50);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (distribution::process_id() > 0 && !was_interrupted()) {
    if (std::chrono::steady_clock::now() > until) return true;
    std::this_thread::sleep_for(interval);
  }
  return distribution::process_id() == 0;
}

void fail(const Invocation& invocation, const std::string& message) {
  if (invocation.json && reports_an_error())
    invocation.print_json(Config::map({{"error", message}}));
  if (distribution::num_processes() > 1)
    distribution::abort(was_interrupted() ? status_of_signal() : failure, message);
  say(stderr, fmt::format("stoker: {}\n", message));
}

// Prints the accepted values of an option as its check describes them, without the C++ type.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string text = Formatter::make_option_opts(option);
    for (const std::string type : {" TEXT:", " INT:", " FLOAT:"})
      if (text.starts_with(type)) return " " + text.substr(type.size());
    return text;
  }
};

int run_command(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    const std::string wrong = misspelt(app, argc, argv);
    say(stderr, fmt::format("stoker: {}\nRun with --help for more.\n",
                            wrong.empty() ? error.what() : wrong));
    return usage;
  }
  return ok;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Trains neural networks described in Keras's terms.", "stoker");
  app.set_version_flag("--version", "stoker " + std::string(version()));
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormatter>());
  Invocation invocation;
  for (auto add : {add_train, add_predict, add_evaluate, add_summary, add_plan, add_convert,
                   add_launch, add_data, add_pack, add_devices, add_bench, add_why, add_top,
                   add_doctor, add_report, add_compare})
    add(app, invocation);
  app.footer(examples);             // after the commands, which would inherit it
  const InterruptScope interrupts;  // covers everything from here on
  handle_signals();
  try {
    distribution::initialize();
    const int status = run_command(app, argc, argv);
    if (was_interrupted()) return status_of_signal();
    return status == ok ? invocation.status : status;
  } catch (const Error& error) {
    fail(invocation, error.what());
  } catch (const std::bad_alloc&) {
    fail(invocation, "not enough memory. Hint: try a smaller batch or model.");
  } catch (const std::exception& error) {
    fail(invocation, fmt::format("internal error: {}", error.what()));
  }
  return was_interrupted() ? status_of_signal() : failure;
}
