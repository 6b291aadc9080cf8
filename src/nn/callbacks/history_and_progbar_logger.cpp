#include "nn/config/registry.h"
#include "stoker/callback.h"

namespace stoker::callbacks {
namespace {

// Callbacks of Keras whose work fit does itself: recording a History and printing progress. They
// may be listed, and do nothing.
CallbackRef callback_without_effect(const Config&) { return std::make_shared<Callback>(); }

const nn::Registrar<CallbackRef> history{"History", callback_without_effect},
    progress{"ProgbarLogger", callback_without_effect};

}  // namespace
}  // namespace stoker::callbacks
