#pragma once
#include "core/text/texts.h"
#include "data/sources/record_files.h"

namespace stoker::data {

// Files whose records are strings.
template <class Reader>
class StringFiles : public Stage {
 public:
  using Open = typename RecordsOfFiles<Reader, std::string_view>::Open;
  StringFiles(const char* name, std::vector<std::string> files, Open open,
              const std::source_location& created)
      : Stage(name, created), files_(std::move(files)), open_(std::move(open)) {
    check_files(files_, name);
  }
  int64_t cardinality() const override { return UNKNOWN_CARDINALITY; }
  std::vector<std::string> files_in_turn() const override { return files_; }
  std::optional<ElementSpec> spec() const override {
    return ElementSpec{{}, {{DType::int64, {}, true}}};
  }

  std::unique_ptr<Cursor> open(const Opening&) const override {
    struct InTurn : Cursor {
      explicit InTurn(const StringFiles& of) : records(of, of.files_, of.open_) {}
      bool next(Element& element) override {
        return records.making_one([&] {
          std::string_view record;
          if (!records.next(record)) return false;
          element = Array::string(record);
          return true;
        });
      }
      int64_t skip(int64_t count) override { return records.skip(count); }
      void add_origins(std::vector<SampleOrigin>& to) const override { records.add_origins(to); }
      bool gives_rows() const override { return true; }
      bool next_rows(Element& rows, int64_t most) override {
        return records.making_rows([&] { return read_rows(rows, most); });
      }
      int64_t read_rows(Element& rows, int64_t most) {
        if (!begun) begun = std::make_shared<Texts>();
        constexpr int64_t most_reserved = 4096;
        begun->reserve(static_cast<size_t>(std::min(most, most_reserved)), bytes);
        std::string_view record;
        while (static_cast<int64_t>(begun->size()) < most && records.next(record))
          begun->add(record);
        if (begun->size() == 0) return 0;
        bytes = begun->bytes();
        const auto count = static_cast<int64_t>(begun->size());
        rows = Array(std::exchange(begun, nullptr), Shape{count});
        return count;
      }
      RecordsOfFiles<Reader, std::string_view> records;
      std::shared_ptr<Texts> begun;  // rows before an erroneous one
      size_t bytes = 0;              // of the last rows
    };
    return std::make_unique<InTurn>(*this);
  }

 private:
  std::vector<std::string> files_;
  Open open_;
};

}  // namespace stoker::data
