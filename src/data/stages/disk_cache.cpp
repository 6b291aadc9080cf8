#include <fmt/format.h>

#include <filesystem>
#include <mutex>

#include "data/sources/packed.h"
#include "data/stage_key.h"
#include "stoker/interrupt.h"
#include "stoker/progress_line.h"
#include "stoker/say.h"

namespace stoker::data {
namespace {

// Elements in a packed file. The first pass writes all of them before it returns the first one: so
// each can be read by index from the first pass on, and a later shuffle is exact in every pass. A
// killed process leaves no file.
class DiskCache : public Stage {
 public:
  DiskCache(StageRef before, std::string path, const std::source_location& created)
      : Stage("cache", created), before_(std::move(before)), path_(std::move(path)) {
    if (before_->cardinality() == INFINITE_CARDINALITY)
      throw InvalidArgument(
          fmt::format("{}: \"{}\" cannot hold a dataset that has no end.", where(), path_),
          "put the repeat() behind the cache.");
  }
  int64_t cardinality() const override {
    const std::lock_guard lock(mutex_);
    return elements_ ? elements_->size() : before_->cardinality();
  }
  std::optional<ElementSpec> spec() const override { return before_->spec(); }
  int64_t batch_rows() const override { return before_->batch_rows(); }
  std::vector<const Stage*> inputs() const override { return {before_.get()}; }
  // they are not called if the file exists
  void add_calls(std::vector<const Setting*>&) const override {}
  std::optional<std::string> identity() const override { return ""; }
  std::shared_ptr<const Indexed> index(const Opening& opening) const override {
    Opening first = opening;
    first.pass = 0;  // even if this process starts in a later pass
    if (opening.numbers_only) return before_->index(first);
    const std::lock_guard lock(mutex_);
    if (!elements_) elements_ = find();
    if (!elements_) elements_ = fill(first);
    return elements_;
  }

 private:
  // The file's elements, if the same pipeline wrote it.
  std::shared_ptr<const PackedElements> find() const {
    if (!std::filesystem::exists(path_)) return nullptr;
    auto found = std::make_shared<const PackedElements>(path_);
    const auto key = key_of(*before_);
    const Config* const written = found->file().notes().find("pipeline");
    if (key && written && *written == Config(*key)) return found;
    say(stderr, fmt::format("stoker: {}: \"{}\" is written again, as {}.\n", where(), path_,
                            key ? "another pipeline wrote it"
                                : "a stage before it cannot say whether its data are the same"));
    return nullptr;
  }
  void throw_if_stopped() const {
    throw_if_cancelled();
    if (interrupted()) throw Interrupted(fmt::format("interrupted while writing \"{}\".", path_));
  }
  std::shared_ptr<const PackedElements> fill(const Opening& opening) const {
    const auto key = key_of(*before_);
    ProgressLine line(fmt::format("caching in \"{}\":", path_), before_->cardinality());
    write_packed(*before_, opening, path_,
                 Config::map({{"pipeline", key ? Config(*key) : Config()}}), [&](int64_t done) {
                   line.show(done);
                   throw_if_stopped();
                 });
    return std::make_shared<const PackedElements>(path_);
  }

  StageRef before_;
  std::string path_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const PackedElements> elements_;
};

}  // namespace
}  // namespace stoker::data

namespace stoker {

Dataset Dataset::cache(const std::string& filename, const From& from) const {
  if (filename.empty()) return cache(from);  // as in tf.data
  return Dataset(std::make_shared<data::DiskCache>(stage_, filename, from));
}

}  // namespace stoker
