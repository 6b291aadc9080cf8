#include "program.h"

#include "core/flush_denormals.h"
#include "profile.h"

namespace stoker::cpu {

Program::Program(std::span<const StokerCall> calls) {
  for (const StokerCall& call : calls) {
    calls_.push_back({static_cast<Kernel*>(call.kernel), arguments_.size(), call.workspace,
                      Profile::instance().keep(call.name), call.node});
    for (const StokerPointer& pointer :
         std::span(call.arguments, static_cast<size_t>(call.num_arguments))) {
      if (pointer.input >= 0) bindings_.push_back({arguments_.size(), pointer.input});
      arguments_.push_back(pointer.address);
    }
  }
}

void Program::run(const StokerRun& run) {
  const FlushDenormals flush;  // the pool's threads always do so
  const bool timed = Profile::instance().is_on();
  for (int64_t step = 0; step < run.steps; ++step) {
    bind(run, step);
    if (timed)
      run_calls_and_time_them();
    else
      run_calls();
  }
}

void Program::bind(const StokerRun& run, int64_t step) {
  for (const auto& [argument, input] : bindings_)
    arguments_[argument] =
        static_cast<std::byte*>(run.inputs[input]) + (run.strides ? step * run.strides[input] : 0);
}

void Program::run_calls() {
  for (const Call& call : calls_)
    call.kernel->run(arguments_.data() + call.first_argument, call.workspace);
}

void Program::run_calls_and_time_them() {
  for (const Call& call : calls_) {
    const int64_t begin = Profile::now();
    call.kernel->run(arguments_.data() + call.first_argument, call.workspace);
    Profile::instance().add({call.name, call.node, begin, Profile::now()});
  }
}

}  // namespace stoker::cpu
