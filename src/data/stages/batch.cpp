#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "data/batch_builder.h"
#include "data/origins.h"
#include "data/tuning/byte_account.h"
#include "data/window.h"
#include "data/work_size.h"

namespace stoker::data {
namespace {

class BatchStage : public Stage {
 public:
  BatchStage(StageRef before, int64_t size, bool drop_remainder,
             const std::source_location& created)
      : Stage("batch", created), before_(std::move(before)), size_(size), drops_(drop_remainder) {
    if (size_ < 1)
      throw InvalidArgument(
          fmt::format("{}: batch_size must be positive, got {}.", where(), size_));
  }
  std::vector<const Stage*> inputs() const override { return {before_.get()}; }
  std::optional<std::string> identity() const override {
    return fmt::format("{} {}", size_, drops_);
  }
  int64_t cardinality() const override {
    const int64_t elements = before_->cardinality();
    if (!is_finite(elements)) return elements;
    return elements / size_ + (!drops_ && elements % size_ != 0 ? 1 : 0);
  }
  std::optional<ElementSpec> spec() const override;
  int64_t batch_rows() const override { return size_; }
  std::optional<Batching> batching() const override {
    const int64_t elements = before_->cardinality();
    if (elements == INFINITE_CARDINALITY) return Batching{size_};
    if (!is_finite(elements)) return std::nullopt;
    return Batching{size_, drops_ ? elements / size_ * size_ : elements};
  }
  std::string why_whole() const override {
    return fmt::format("the number of elements of {} is unknown (assert_cardinality can set it)",
                       before_->where());
  }
  std::unique_ptr<Cursor> open(const Opening& opening) const override;
  std::unique_ptr<Cursor> open_rows(const Opening& opening,
                                    const distribution::Division& division) const override;
  std::shared_ptr<const Indexed> index(const Opening& opening) const override {
    if (!opening.numbers_only) return nullptr;
    return numbered_batches(before_->index(opening), size_, drops_);
  }

  std::optional<RowsInOrder> rows_in_order() const override {
    auto rows = before_->rows_in_order();
    const bool drops_some = drops_ && before_->cardinality() % size_ != 0;
    if (!rows || rows->batch_size > 0 || drops_some) return std::nullopt;
    rows->batch_size = size_;
    return rows;
  }

  int64_t size() const { return size_; }
  bool drops() const { return drops_; }
  // How many parts of batches workers may fill concurrently.
  int64_t parts_at_once(const Workers& workers) const {
    return calls_at_once(*before_, 2 * workers.size());
  }

 private:
  StageRef before_;
  int64_t size_;
  bool drops_;
};

// As in tf.data: the number of rows is known only if no batch can be smaller.
std::optional<ElementSpec> BatchStage::spec() const {
  auto spec = before_->spec();
  const int64_t elements = before_->cardinality();
  const bool all_full =
      drops_ || elements == INFINITE_CARDINALITY || (is_finite(elements) && elements % size_ == 0);
  if (spec)
    for (TensorSpec& array : spec->arrays)
      array.shape = array.shape.with_front(all_full ? size_ : unknown);
  return spec;
}

// For elements read sequentially.
class BatchedCursor : public Cursor {
 public:
  // `part`: the incoming elements are only this part.
  BatchedCursor(const BatchStage& stage, std::unique_ptr<Cursor> before, const Opening& opening,
                const std::optional<RankRows>& part = {})
      : stage_(stage),
        before_(std::move(before)),
        memory_(opening.memory),
        tracks_origins_(opening.tracks_origins),
        part_(part) {}

  bool next(Element& batch) override {
    if (before_->gives_rows() && !tracks_origins_) return next_of_rows(batch);
    rows_.clear();
    origins_.clear();
    Element row;
    const int64_t wanted = part_ ? part_->of_batch(batches_).here : stage_.size();
    while (static_cast<int64_t>(rows_.size()) < wanted && before_->next(row)) {
      if (tracks_origins_)
        add_origins_of_row(*before_, static_cast<int64_t>(rows_.size()), origins_);
      rows_.push_back(std::move(row));
    }
    const auto count = static_cast<int64_t>(rows_.size());
    if (count == 0 || (stage_.drops() && count < wanted)) return false;
    batch = call_for_element(stage_, batches_++, [&] { return stacked(); });
    number_ += count;
    return true;
  }
  int64_t skip(int64_t count) override {
    if (part_) return skip_part(count);
    const int64_t done = before_->skip(product_of(count, stage_.size()));
    number_ += done;
    const int64_t whole = done / stage_.size(), part = done % stage_.size();
    batches_ += whole;
    return whole + (part > 0 && !stage_.drops() ? 1 : 0);
  }
  void add_origins(std::vector<SampleOrigin>& to) const override {
    to.insert(to.end(), origins_.begin(), origins_.end());
  }

 private:
  int64_t skip_part(int64_t count) {
    const int64_t begun = batches_;
    for (; batches_ < begun + count; ++batches_) {
      const int64_t rows = part_->of_batch(batches_).here;
      if (rows == 0 || before_->skip(rows) < rows) break;
    }
    return batches_ - begun;
  }
  bool next_of_rows(Element& batch) {
    if (!before_->next_rows(batch, stage_.size())) return false;
    const int64_t count = batch.arrays()[0].length();
    number_ += count;
    ++batches_;
    return !stage_.drops() || count == stage_.size();
  }
  Element stacked() {
    const auto count = static_cast<int64_t>(rows_.size());
    BatchBuilder builder(spec_of(rows_[0]), count, number_, *memory_);
    for (int64_t r = 0; r < count; ++r) builder.put(r, rows_[static_cast<size_t>(r)]);
    rows_.clear();  // moved into the batch
    return std::move(builder).finish();
  }

  const BatchStage& stage_;
  std::unique_ptr<Cursor> before_;
  std::shared_ptr<BatchMemory> memory_;
  const bool tracks_origins_;
  const std::optional<RankRows> part_;
  std::vector<Element> rows_;
  std::vector<SampleOrigin> origins_;  // of the rows
  int64_t number_ = 0, batches_ = 0;
};

// For elements with indices: workers make elements and write each directly to its row, several
// batches at a time; of each batch only this rank's rows.
class BatchedIndexed : public Cursor {
 public:
  BatchedIndexed(const BatchStage& stage, std::shared_ptr<const Indexed> elements,
                 const Opening& opening, const distribution::Division& division = {})
      : stage_(stage),
        division_(division),
        elements_(std::move(elements)),
        workers_(*opening.workers),
        memory_(opening.memory),
        window_(*opening.workers, stage.meter(), 1) {
    stage.meter().parallel = !rows_only();
  }

  bool next(Element& batch) override {
    if (window_.empty() && rows_only()) return next_of_rows(batch);
    window_.set_most_at_once(static_cast<size_t>(stage_.parts_at_once(workers_)));
    while (!window_.full() && left() > 0) add();
    if (window_.empty()) return false;
    batch = at_element(stage_, taken_++, [&] { return finished(*window_.take()); });
    stage_.meter().add_element();
    window_.set_most(
        static_cast<size_t>(ByteAccount::global().affordable(batches_ahead(), bytes_of(batch))));
    return true;
  }
  int64_t skip(int64_t count) override {
    Element dropped;
    int64_t done = 0;
    while (done < count && !window_.empty() && next(dropped)) ++done;
    for (; done < count && left() > 0; ++done) number_ += left(), ++taken_;
    return done;
  }

 private:
  // Rows of the next batch; 0 at the end.
  int64_t left() const {
    const int64_t rows = std::min(stage_.size(), elements_->size() - number_);
    return stage_.drops() && rows < stage_.size() ? 0 : rows;
  }

  // Copying rows of arrays in memory is faster than handing them to another thread.
  bool rows_only() const {
    int64_t next[] = {number_};
    return number_ < elements_->size() && elements_->resolve(next)->rows();
  }
  bool next_of_rows(Element& batch) {
    const distribution::Slice slice = division_.of(left());
    if (slice.rows == 0) return false;
    const int64_t first = number_ + slice.first;
    if (!like_) like_ = spec_at(first);
    BatchBuilder builder(*like_, slice.here, first, *memory_);
    {
      const Timed timed(stage_.meter(), 0);
      fill(builder, 0, slice.here, first);
    }
    stage_.meter().add_element();
    number_ += slice.rows;
    batch = at_element(stage_, taken_++, [&] { return finished(builder); });
    return true;
  }
  // The next batches are expected to be like it.
  Element finished(BatchBuilder& builder) {
    const bool expected = builder.as_expected();
    Element batch = std::move(builder).finish();
    if (!expected) {
      like_ = spec_of(batch);
      for (TensorSpec& array : like_->arrays) array.shape = array.shape.drop_front();
    }
    return batch;
  }
  ElementSpec spec_at(int64_t number) const {
    int64_t numbers[] = {std::min(number, elements_->size() - 1)};  // a rank may have no rows
    const auto source = elements_->resolve(numbers);
    return source->writes() ? *source->writes() : spec_of(source->at(numbers[0]));
  }
  // Rows [begin, end) of a batch whose first element has this index.
  void fill(BatchBuilder& builder, int64_t begin, int64_t end, int64_t first) const {
    std::vector<int64_t> numbers(static_cast<size_t>(end - begin));
    std::iota(numbers.begin(), numbers.end(), first + begin);
    const auto source = elements_->resolve(numbers);
    if (!source && end - begin > 1) {
      for (int64_t r = begin; r < end; ++r) fill(builder, r, r + 1, first);
      return;
    }
    if (const Element* const arrays = source->rows(); arrays && builder.expects_rows_of(*arrays))
      return builder.put_rows(begin, *arrays, numbers);
    for (int64_t r = begin; r < end; ++r) {
      const int64_t i = numbers[static_cast<size_t>(r - begin)];
      if (source->writes() && builder.expects(*source->writes()))
        source->write(i, builder.places(r));
      else
        builder.put(r, source->at(i));
    }
  }

  void add() {
    const distribution::Slice slice = division_.of(left());
    const int64_t rows = slice.here, first = number_ + slice.first;
    if (!like_) like_ = at_element(stage_, taken_, [&] { return spec_at(first); });
    auto builder = std::make_shared<BatchBuilder>(*like_, rows, first, *memory_);
    std::vector<std::function<void(BatchBuilder&)>> parts;
    const int64_t each = rows_of_a_part();
    for (int64_t begin = 0; begin < rows; begin += each)
      parts.push_back([this, first, begin, end = std::min(rows, begin + each)](auto& to) {
        work_size_.run(end - begin, [&] {
          const Timed timed(stage_.meter(), 0);
          fill(to, begin, end, first);
        });
      });
    window_.add(std::move(builder), std::move(parts));
    number_ += slice.rows;
  }
  int64_t rows_of_a_part() const { return work_size_.elements(stage_.size()); }
  // Enough parts that workers are busy while the oldest batch is completed.
  int64_t batches_ahead() const {
    const int64_t rows = division_.of(stage_.size()).here, each = rows_of_a_part();
    const int64_t parts = std::max<int64_t>(1, rows / each + (rows % each != 0 ? 1 : 0));
    return 2 + (stage_.parts_at_once(workers_) - 1) / parts;
  }

  const BatchStage& stage_;
  const distribution::Division division_;
  std::shared_ptr<const Indexed> elements_;
  const Workers& workers_;
  std::shared_ptr<BatchMemory> memory_;
  std::optional<ElementSpec> like_;
  int64_t number_ = 0, taken_ = 0;
  WorkSize work_size_;           // of rows
  Window<BatchBuilder> window_;  // the last member: its jobs use the others
};

std::unique_ptr<Cursor> BatchStage::open(const Opening& opening) const {
  if (!opening.tracks_origins)
    if (auto elements = before_->index(opening))
      return std::make_unique<BatchedIndexed>(*this, std::move(elements), opening);
  return std::make_unique<BatchedCursor>(*this, before_->open(opening), opening);
}

// Elements with sequential access are read by every rank, but each rank calls the preceding maps
// only for its own rows.
std::unique_ptr<Cursor> BatchStage::open_rows(const Opening& opening,
                                              const distribution::Division& division) const {
  if (auto elements = before_->index(opening))
    return std::make_unique<BatchedIndexed>(*this, std::move(elements), opening, division);
  const RankRows part{*batching(), division};
  return std::make_unique<BatchedCursor>(
      *this, before_->open_chosen(opening, {.most = part.count(), .rows = part}), opening, part);
}

}  // namespace
}  // namespace stoker::data

namespace stoker {

Dataset Dataset::batch(int64_t batch_size, const DatasetBatchArgs& args, const From& from) const {
  return Dataset(std::make_shared<data::BatchStage>(stage_, batch_size, args.drop_remainder, from));
}

}  // namespace stoker
