#pragma once
#include <string>

#include "stoker/callback.h"
#include "stoker/config.h"

namespace CLI {
class App;
}

namespace stoker::cli {

inline constexpr int ok = 0, failure = 1, usage = 2;  // and 128 + n after signal n

// The common part of all commands: output.
class Invocation {
 public:
  bool json = false;
  int status = ok;  // exit status if nothing is thrown
  // Afterwards only print() writes to stdout; all other output goes to stderr.
  void keep_stdout_for_json();
  // For processes that this one starts and that print the object instead.
  void release_stdout() const;
  // With --json prints only the object, otherwise the text. Does nothing on ranks above 0.
  void print(const Config& object, const std::string& text) const;
  void print_json(const Config& object) const;  // on any rank

 private:
  int json_output_ = -1;
};

// Each adds its command to the program; the callback runs if the command is given.
void add_train(CLI::App& app, Invocation& invocation);
void add_predict(CLI::App& app, Invocation& invocation);
void add_evaluate(CLI::App& app, Invocation& invocation);
void add_summary(CLI::App& app, Invocation& invocation);
void add_plan(CLI::App& app, Invocation& invocation);
void add_devices(CLI::App& app, Invocation& invocation);
void add_bench(CLI::App& app, Invocation& invocation);
void add_convert(CLI::App& app, Invocation& invocation);
void add_pack(CLI::App& app, Invocation& invocation);
void add_data(CLI::App& app, Invocation& invocation);
void add_why(CLI::App& app, Invocation& invocation);
void add_doctor(CLI::App& app, Invocation& invocation);
void add_launch(CLI::App& app, Invocation& invocation);
void add_top(CLI::App& app, Invocation& invocation);
void add_report(CLI::App& app, Invocation& invocation);
void add_compare(CLI::App& app, Invocation& invocation);

CLI::App* add_command(CLI::App& app, Invocation& invocation, const std::string& name,
                      const std::string& description);

Config number(double value);  // NaN and infinity become null, as JSON has neither
Config to_config(const Logs& logs);
Config to_config(const History& history);
Config interrupted_at(const History& history);  // {epoch, step, of, logs}; null: not interrupted
std::string to_text(const Logs& logs);          // "accuracy: 0.8812 - loss: 0.3371"

}  // namespace stoker::cli
