#include "stoker/doctor.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "command.h"

namespace stoker::cli {

void add_doctor(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      add_command(app, invocation, "doctor",
                  "check driver, libraries, GPUs, cores, disk and Python's frameworks; say how to "
                  "fix each problem");
  auto args = std::make_shared<DoctorArgs>();
  command
      ->add_option(
          "--python", args->python,
          "the Python interpreter whose frameworks are checked (default: the environment's)")
      ->type_name("PROGRAM");
  command->add_flag_callback(
      "--no-measure", [args] { args->measure = false; },
      "skip the measurements of copies and disk");
  command->add_flag_callback(
      "--no-frameworks", [args] { args->frameworks = false; }, "skip the Python checks");
  command->footer(
      "Example: stoker doctor --json\n"
      "Exit status: 0 no errors (possibly warnings), 1 errors.");
  command->callback([args, &invocation] {
    const auto findings = doctor(*args);
    invocation.print(to_config(findings), to_string(findings));
    if (std::ranges::find(findings, Finding::State::wrong, &Finding::state) != findings.end())
      invocation.status = failure;
  });
}

}  // namespace stoker::cli
