#include <fmt/format.h>

#include <atomic>
#include <map>
#include <mutex>

#include "data/feeds/device_cache.h"
#include "data/stage.h"
#include "data/tuning/byte_account.h"

namespace stoker::data {
namespace {

// Accounts for an element that the cache will hold.
void book(Held& held, const Stage& stage, const Element& element, int64_t elements) {
  held.add(bytes_of(element));
  const ByteAccount& account = ByteAccount::global();
  if (account.held() <= account.limit()) return;
  throw OutOfMemory(
      fmt::format("{}: with {} elements in it, datasets take {} bytes, more than the {} that they "
                  "may.",
                  stage.where(), elements, account.held(), account.limit()),
      "cache fewer or smaller elements, e.g. before they are converted to float32, or raise "
      "set_dataset_memory_limit.");
}

struct KeptList {
  explicit KeptList(Meter& meter) : held(meter) {}
  std::vector<Element> elements;
  Held held;
};

// The elements of one complete pass. Shared by all passes of a dataset and its copies.
struct Remembered {
  std::mutex mutex;
  bool whole = false;
  std::shared_ptr<const KeptList> kept;
};

struct KeptElements : Indexed {
  explicit KeptElements(std::shared_ptr<const KeptList> all) : kept(std::move(all)) {}
  int64_t size() const override { return static_cast<int64_t>(kept->elements.size()); }
  Element at(int64_t i) const override { return kept->elements[static_cast<size_t>(i)]; }
  std::shared_ptr<const KeptList> kept;
};

// The first pass reads and stores elements; they are used once it is complete.
struct Keeping : Cursor {
  Keeping(const Stage& of, std::unique_ptr<Cursor> from, std::shared_ptr<Remembered> where)
      : stage(of),
        before(std::move(from)),
        remembered(std::move(where)),
        list(std::make_shared<KeptList>(of.meter())) {}
  bool next(Element& element) override {
    if (before->next(element)) {
      list->elements.push_back(element);
      book(list->held, stage, element, static_cast<int64_t>(list->elements.size()));
      return true;
    }
    const std::lock_guard lock(remembered->mutex);
    if (!remembered->whole) remembered->kept = list;
    remembered->whole = true;
    return false;
  }
  const Stage& stage;
  std::unique_ptr<Cursor> before;
  std::shared_ptr<Remembered> remembered;
  std::shared_ptr<KeptList> list;
};

// If elements have indices, each is stored when it is first read, in any order.
class KeptByNumber : public Indexed {
 public:
  KeptByNumber(const Stage& stage, std::shared_ptr<const Indexed> before)
      : stage_(stage),
        before_(std::move(before)),
        slots_(static_cast<size_t>(before_->size())),
        held_(stage.meter()) {}
  int64_t size() const override { return before_->size(); }
  Element at(int64_t i) const override {
    Slot& slot = slots_[static_cast<size_t>(i)];
    if (!slot.full.load(std::memory_order_acquire)) keep(slot, before_->at(i));
    return slot.element;
  }

 private:
  struct Slot {
    std::atomic<bool> full = false;
    Element element;
  };
  void keep(Slot& slot, Element element) const {
    const std::lock_guard lock(mutex_);
    if (slot.full.load(std::memory_order_relaxed)) return;
    book(held_, stage_, element, ++kept_);
    slot.element = std::move(element);
    slot.full.store(true, std::memory_order_release);
  }

  const Stage& stage_;
  std::shared_ptr<const Indexed> before_;
  mutable std::mutex mutex_;
  mutable std::vector<Slot> slots_;
  mutable Held held_;
  mutable int64_t kept_ = 0;
};

class Cache : public Stage {
 public:
  enum class Where { host, device };
  Cache(StageRef before, Where where, const std::source_location& created)
      : Stage(where == Where::host ? "cache" : "cache_on_device", created),
        before_(std::move(before)),
        on_device_(where == Where::device) {}
  std::vector<const Stage*> inputs() const override { return {before_.get()}; }
  std::optional<std::string> identity() const override { return ""; }
  int64_t cardinality() const override { return before_->cardinality(); }
  std::optional<ElementSpec> spec() const override { return before_->spec(); }
  int64_t batch_rows() const override { return before_->batch_rows(); }

  // Elements have indices if those before it have, in the first pass and later ones: otherwise a
  // resumed run would shuffle differently from an uninterrupted one.
  std::shared_ptr<const Indexed> index(const Opening& opening) const override {
    const std::lock_guard lock(kept_->mutex);
    if (opening.numbers_only || passes_on(opening)) return before_->index(first_pass(opening));
    if (!by_number_ && is_finite(before_->cardinality()))
      if (auto before = before_->index(first_pass(opening)))
        by_number_ = std::make_shared<KeptByNumber>(*this, std::move(before));
    return by_number_;
  }
  std::unique_ptr<Cursor> open(const Opening& opening) const override {
    if (auto all = open_by_number(*this, opening)) return all;
    const std::lock_guard lock(kept_->mutex);
    if (opening.tracks_origins || passes_on(opening))  // the same elements
      return before_->open(first_pass(opening));
    if (kept_->whole)
      return std::make_unique<IndexedCursor>(std::make_shared<KeptElements>(kept_->kept));
    return std::make_unique<Keeping>(*this, before_->open(first_pass(opening)), kept_);
  }
  std::shared_ptr<DeviceCache> device_cache(const device::Device& device) const override {
    if (!on_device_) return nullptr;
    const std::lock_guard lock(kept_->mutex);
    auto& cache = on_devices_[device.name()];
    if (!cache) cache = std::make_shared<DeviceCache>(where());
    return cache;
  }

 private:
  bool passes_on(const Opening& opening) const { return on_device_ && opening.kept_on_device; }
  // As in tf.data, the cache contains the first pass, even if a previous stage is random and this
  // process starts with a later pass. Requires the mutex.
  Opening first_pass(Opening opening) const {
    if (!seed_) seed_ = opening.seed;
    opening.seed = *seed_;
    opening.pass = 0;
    opening.kept_on_device = false;
    return opening;
  }

  StageRef before_;
  const bool on_device_;
  // guarded by the same mutex
  mutable std::map<std::string, std::shared_ptr<DeviceCache>> on_devices_;
  std::shared_ptr<Remembered> kept_ = std::make_shared<Remembered>();
  mutable std::shared_ptr<const Indexed> by_number_;  // guarded by the mutex of kept_
  mutable std::optional<uint64_t> seed_;              // with which it was first opened
};

}  // namespace
}  // namespace stoker::data

namespace stoker {

Dataset Dataset::cache(const From& from) const {
  return Dataset(std::make_shared<data::Cache>(stage_, data::Cache::Where::host, from));
}

Dataset Dataset::cache_on_device(const From& from) const {
  return Dataset(std::make_shared<data::Cache>(stage_, data::Cache::Where::device, from));
}

}  // namespace stoker
