#include "nn/training/session.h"

#include "data/feeds/feed.h"
#include "nn/model_impl.h"

namespace stoker::nn {

Session::Session(Model& model, uint64_t session_seed)
    : seed(session_seed), model_(model), outer_(std::exchange(model.impl().fits.running, this)) {
  ledger.start();
}
Session::~Session() { model_.impl().fits.running = outer_; }

FitPosition Session::position() const {
  return {seed, epoch, batch, pass, batches_seen, feed->state(), history, states_of(*callbacks)};
}

void Session::resume_at(FitPosition at, std::string where) {
  resumes = std::move(at);
  resumed = std::move(where);
}

std::optional<ledger::Scope> book(Model& model, ledger::Activity activity) {
  Session* const session = model.impl().fits.running;
  if (!session) return std::nullopt;
  return std::optional<ledger::Scope>(std::in_place, session->ledger, activity);
}

std::optional<ledger::Scope> book_checkpoint(Model& model) {
  if (Session* const session = model.impl().fits.running) ++session->checkpoints;
  return book(model, ledger::Activity::checkpoint);
}

}  // namespace stoker::nn
