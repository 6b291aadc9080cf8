#include "nn/config/registry.h"
#include "stoker/callback.h"

namespace stoker::callbacks {
namespace {

// Callbacks of Keras whose work fit does itself: recording a History and printing progress. They
// may be listed, and do nothing.
CallbackRef nothing_more(const Config&) { return std::make_shared<Callback>(); }

const nn::Registrar<CallbackRef> history{"History", nothing_more},
    progress{"ProgbarLogger", nothing_more};

}  // namespace
}  // namespace stoker::callbacks
