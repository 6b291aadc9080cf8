#include "data/stage.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/stages/made_ahead.h"

namespace stoker::data {

int64_t Cursor::skip(int64_t count) {
  Element dropped;
  int64_t done = 0;
  while (done < count && next(dropped)) ++done;
  return done;
}

bool Cursor::next_rows(Element&, int64_t) {
  throw Internal("next_rows was called on a stage that does not return rows.");
}

std::unique_ptr<Cursor> Stage::open(const Opening& opening) const {
  return open_by_number(*this, opening);
}

std::unique_ptr<Cursor> Stage::open_past_errors(const Opening& opening) const {
  auto elements = opening.tracks_origins ? nullptr : index(opening);
  if (!elements) return open(opening);
  return std::make_unique<MadeAhead>(*this, std::move(elements), opening);
}

std::string Stage::why_whole() const { return fmt::format("{} works on whole batches", where()); }
std::unique_ptr<Cursor> Stage::open_rows(const Opening&, const distribution::Division&) const {
  throw Internal(fmt::format("{} cannot return a part of every batch.", where()));
}

std::unique_ptr<Cursor> open_by_number(const Stage& stage, const Opening& opening) {
  auto elements = stage.index(opening);
  if (!elements) return nullptr;
  if (!opening.tracks_origins) return std::make_unique<IndexedCursor>(std::move(elements));
  Opening numbers = opening;
  numbers.numbers_only = true;
  return std::make_unique<IndexedCursor>(std::move(elements), stage.index(numbers));
}

std::shared_ptr<DeviceCache> Stage::device_cache(const device::Device&) const { return nullptr; }

void Stage::add_calls(std::vector<const Setting*>& to) const {
  for (const Stage* input : inputs()) input->add_calls(to);
}

// Chained functions with automatic settings are called by the same threads: the tuner may add
// threads by any of their settings.
int64_t calls_at_once(const Stage& stage, int64_t otherwise) {
  std::vector<const Setting*> settings;
  stage.add_calls(settings);
  int64_t tuned = 0, given = std::numeric_limits<int64_t>::max();
  for (const Setting* setting : settings)
    if (setting->automatic())
      tuned = std::max(tuned, setting->value.load());
    else
      given = std::min(given, setting->value.load());
  return std::min(tuned > 0 ? tuned : otherwise, given);
}

std::string Stage::where() const {
  return fmt::format("{}, created {}", name_, to_string(created_));
}

void Stage::note_fit(const FedBy& fit) const {
  const std::lock_guard lock(fit_mutex_);
  latest_fit_ = fit;
}
std::optional<FedBy> Stage::latest_fit() const {
  const std::lock_guard lock(fit_mutex_);
  return latest_fit_;
}

std::string place_of(const Stage& stage, int64_t number) {
  return fmt::format("element {} of {}", number, stage.where());
}

void throw_of_user(const Stage& stage, int64_t number, const char* what) {
  const std::string_view text = what;
  Error error(fmt::format("the function given to {} threw: {}{}", stage.name(), text,
                          text.ends_with('.') ? "" : "."));
  error.add_where(place_of(stage, number));
  throw error;  // NOLINT
}

void throw_out_of_memory(const Stage& stage, int64_t number) {
  OutOfMemory error("the host's memory is exhausted.");
  error.add_where(place_of(stage, number));
  throw error;  // NOLINT
}

Element Indexed::at(int64_t i) const {
  const ElementSpec& spec = *writes();
  std::vector<Array> arrays;
  std::vector<std::byte*> places;
  for (const TensorSpec& array : spec.arrays) {
    arrays.emplace_back(array.dtype, array.shape);
    places.push_back(arrays.back().mutable_raw());
  }
  write(i, places);
  return {spec.structure, std::move(arrays)};
}

void Indexed::write(int64_t, const std::vector<std::byte*>&) const {
  throw Internal("write was called on a stage that cannot write into rows.");
}

bool IndexedCursor::next(Element& element) {
  if (next_ >= elements_->size()) return false;
  element = elements_->at(next_++);
  return true;
}

int64_t IndexedCursor::skip(int64_t count) {
  const int64_t done = std::min(count, elements_->size() - next_);
  next_ += done;
  return done;
}

}  // namespace stoker::data
