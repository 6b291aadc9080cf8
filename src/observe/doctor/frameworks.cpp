#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "observe/doctor/checks.h"
#include "observe/sampler.h"
#include "stoker/error.h"
#include "stoker/io.h"

// Do TensorFlow, PyTorch and JAX see the GPU? Asked in a Python process.
namespace stoker::observe {
namespace {

struct Framework {
  const char *name, *module;
  // Prints "STOKER " and one JSON object: version, cuda (what it was built for; null: for the CPU
  // only), sees (number of GPUs), why.
  const char* question;
  const char* install;  // {}: CUDA's major version
};

constexpr Framework frameworks[] = {
    {"PyTorch", "torch", R"(
import json, torch, warnings
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    sees, why = torch.cuda.device_count() if torch.cuda.is_available() else 0, ""
    if not sees and torch.version.cuda:
        try: torch.cuda.init()
        except Exception as error: why = str(error)
    why = why or " ".join(str(w.message) for w in told)
print("STOKER", json.dumps(dict(version=torch.__version__, cuda=torch.version.cuda, sees=sees, why=why)))
)",
     "pip install --force-reinstall torch --index-url https://download.pytorch.org/whl/cu{}"},
    {"TensorFlow", "tensorflow", R"(
import json, os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf
info = tf.sysconfig.get_build_info()
sees, why = 0, ""
try: sees = len(tf.config.list_physical_devices("GPU"))
except Exception as error: why = str(error)
cuda = info.get("cuda_version") if tf.test.is_built_with_cuda() else None
if cuda and not sees and not why: why = "a library of CUDA " + cuda + " or cuDNN " + str(info.get("cudnn_version")) + " does not open"
print("STOKER", json.dumps(dict(version=tf.__version__, cuda=cuda, sees=sees, why=why)))
)",
     "pip install --force-reinstall 'tensorflow[and-cuda]'"},
    {"JAX", "jax", R"(
import importlib.util, json, jax
plugin = next((n for n in ("13", "12") if importlib.util.find_spec("jax_cuda" + n + "_plugin")), None)
sees, why = 0, ""
try: sees = len(jax.devices("gpu"))
except Exception as error: why = str(error).splitlines()[0]
print("STOKER", json.dumps(dict(version=jax.__version__, cuda=plugin, sees=sees, why=why)))
)",
     "pip install --upgrade 'jax[cuda{}]'"},
};

std::string python_of(const Visit& visit) {
  if (!visit.args.python.empty()) return visit.args.python;
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const std::string folder = visit.variable(name); !folder.empty())
      return folder + "/bin/python";
  return "python3";
}

struct Printing {
  pid_t pid = -1;
  int output = -1;
};

// In its own process group, so that its children end with it.
Printing start(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  int out[2];
  if (pipe2(out, O_CLOEXEC) != 0) return {};
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  const pid_t pid = fork();
  if (pid == 0) {  // only async-signal-safe calls
    setpgid(0, 0);
    dup2(out[1], STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  close(out[1]), close(nowhere);
  return {pid, out[0]};
}

// True: all of it was read before the deadline.
bool read_all(int output, std::string& text, double deadline) {
  char block[4096];
  while (seconds_now() < deadline) {
    pollfd ready{output, POLLIN, 0};
    if (poll(&ready, 1, 100) <= 0) continue;
    const ssize_t n = read(output, block, sizeof block);
    if (n <= 0) return n == 0;
    text.append(block, static_cast<size_t>(n));
  }
  return false;
}

// A program's output within some seconds; nothing if it fails or takes longer.
std::optional<std::string> output_of(const std::vector<std::string>& command, double seconds) {
  const Printing program = start(command);
  if (program.pid < 0) return std::nullopt;
  std::string text;
  const bool whole = read_all(program.output, text, seconds_now() + seconds);
  close(program.output);
  if (!whole) kill(-program.pid, SIGKILL);
  int status = -1;
  waitpid(program.pid, &status, 0);
  const bool succeeded = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return whole && succeeded ? std::optional(text) : std::nullopt;
}

std::optional<Config> answer_of(const std::string& text) {
  const size_t at = text.rfind("STOKER ");
  if (at == text.npos) return std::nullopt;
  try {
    return parse_json(text.substr(at + 7, text.find('\n', at) - at - 7), "answer of Python");
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::string text_in(const Config& answer, const char* key) {
  const Config* found = answer.find(key);
  return found && found->is_string() ? found->as_string() : "";
}

// CUDA's major version for pip: the driver's, or 12 if unknown. PyTorch's has a minor.
std::string install_command(const Visit& visit, const Framework& framework) {
  const bool newest = visit.driver_cuda >= 13000;
  const std::string_view module = framework.module;
  const std::string version = module == "torch" ? (newest ? "130" : "126") : (newest ? "13" : "12");
  return fmt::format(fmt::runtime(framework.install), version);
}

void judge(Visit& visit, const Framework& framework, const Config& answer) {
  const std::string version = text_in(answer, "version"), cuda = text_in(answer, "cuda"),
                    why = text_in(answer, "why");
  const Config* sees = answer.find("sees");
  const int64_t count = sees && sees->is_int() ? sees->as_int() : 0;
  if (count > 0) return visit.ok(framework.name, fmt::format("{}, sees {} GPU(s)", version, count));
  if (!visit.has_card)
    return visit.ok(framework.name, fmt::format("{}, on the CPU: there is no GPU", version));
  if (cuda.empty())
    return visit.wrong(framework.name,
                       fmt::format("{} is built for the CPU only: it cannot see a GPU.", version),
                       install_command(visit, framework));
  const std::string reason = why.empty() ? "it does not say why" : why;
  if (!visit.gpu_works)
    return visit.wrong(framework.name,
                       fmt::format("{} sees no GPU, as CUDA does not start: {}.", version, reason),
                       "stoker doctor  (after what is wrong above is mended)");
  visit.wrong(framework.name, fmt::format("{} for CUDA {} sees no GPU: {}.", version, cuda, reason),
              install_command(visit, framework));
}

void check_one(Visit& visit, const std::string& python, const Framework& framework) {
  constexpr double find_seconds = 20, import_seconds = 90;
  const std::string finder = fmt::format(
      "import importlib.util, sys; sys.exit(0 if importlib.util.find_spec('{}') else 3)",
      framework.module);
  if (!output_of({python, "-c", finder}, find_seconds)) return;  // not installed
  const auto text = output_of({python, "-c", framework.question}, import_seconds);
  const auto answer = text ? answer_of(*text) : std::nullopt;
  if (answer && answer->is_map()) return judge(visit, framework, *answer);
  visit.wrong(
      framework.name,
      fmt::format("{} is installed for {}, but cannot be imported.", framework.module, python),
      fmt::format("{} -c 'import {}'", python, framework.module));
}

}  // namespace

void check_frameworks(Visit& visit) {
  if (!visit.args.frameworks) return;
  const std::string python = python_of(visit);
  const auto version =
      output_of({python, "-c", "import sys; print('STOKER', sys.version.split()[0])"}, 20);
  if (!version) {
    if (!visit.args.python.empty())
      visit.wrong("Python", fmt::format("\"{}\" does not run.", python),
                  "stoker doctor --python …");
    return;
  }
  const size_t before = visit.findings.size();
  for (const Framework& framework : frameworks) check_one(visit, python, framework);
  if (visit.findings.size() == before)
    visit.ok("Python", fmt::format("{} has none of PyTorch, TensorFlow and JAX", python));
}

}  // namespace stoker::observe
