#include "exec/broadcast_states.h"

#include "distribution/collectives.h"
#include "exec/variable.h"
#include "stoker/tensor.h"

namespace stoker::exec {

void broadcast_states(const States& states) {
  if (distribution::size() == 1) return;
  for (const auto& state : states) {
    Array value = memory_of(*state).value().clone();
    distribution::broadcast({value.mutable_raw(), value.bytes()});
    Variable(state).set(value);
  }
}

}  // namespace stoker::exec
