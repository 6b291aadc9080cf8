#include "stoker/callbacks/csv_logger.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "core/main_process.h"
#include "nn/config/register.h"
#include "stoker/callbacks/resumable.h"

namespace stoker::callbacks {

template <class V>
void visit(CSVLoggerArgs& a, V& v) {
  v("filename", a.filename, nn::required);
  v("separator", a.separator);
  v("append", a.append);
}

namespace {

class Logger : public Callback, public Resumable {
 public:
  explicit Logger(const CSVLoggerArgs& args) : args_(args) {
    if (args.filename.empty()) throw InvalidArgument("CSVLogger needs \"filename\".");
  }

  // The file of an earlier run is kept until it is known that this run does not resume it.
  void on_train_begin(const Logs&) override {
    file_.open(is_main_process() ? args_.filename : "/dev/null", std::ios::app);
    check();
    keep_ = args_.append ? size() : 0;
  }

  void on_epoch_end(int64_t epoch, Logs& logs) override {
    begin();
    if (columns_.empty()) choose_columns(logs);
    std::string row = fmt::format("{}", epoch);
    for (const std::string& column : columns_) {
      const double* value = logs.find(column);
      row += args_.separator + (value ? fmt::format("{}", *value) : "NA");
    }
    write(row);
  }

  void on_train_end(const Logs&) override {
    begin();
    file_.close();
    columns_.clear();
  }

  std::string kind() const override { return "CSVLogger"; }
  CallbackState state() const override {
    return {Config::map({{"bytes", keep_ ? *keep_ : size()},
                         {"columns", Config::List(columns_.begin(), columns_.end())}})};
  }
  // Rows that the earlier run wrote after its last backup will be written again.
  void resume(const CallbackState& state) override {
    keep_ = std::min(size(), state.values.find("bytes")->as_int());
    columns_.clear();
    for (const Config& column : state.values.find("columns")->as_list())
      columns_.push_back(column.as_string());
  }

 private:
  int64_t size() const {
    std::error_code none;
    const auto bytes = std::filesystem::file_size(args_.filename, none);
    return none ? 0 : static_cast<int64_t>(bytes);
  }
  void begin() {
    if (!keep_) return;
    if (is_main_process())
      std::filesystem::resize_file(args_.filename, static_cast<uintmax_t>(*keep_));
    has_header_ = *keep_ > 0;
    keep_.reset();
  }
  void choose_columns(const Logs& logs) {
    for (const auto& [name, value] : logs) columns_.push_back(name);
    // With validation_freq the first epoch may lack validation metrics.
    if (params().validates &&
        std::ranges::none_of(columns_, [](const auto& c) { return c.starts_with("val_"); }))
      for (const auto& [name, value] : logs) columns_.push_back("val_" + name);
    std::ranges::sort(columns_);
    if (!has_header_)
      write(fmt::format("epoch{}{}", args_.separator, fmt::join(columns_, args_.separator)));
  }
  void write(const std::string& line) {
    file_ << line << '\n' << std::flush;
    check();
  }
  void check() const {
    if (!file_)
      throw IoError(
          fmt::format("CSVLogger cannot write \"{}\": {}.", args_.filename, std::strerror(errno)));
  }

  CSVLoggerArgs args_;
  std::ofstream file_;
  std::vector<std::string> columns_;
  std::optional<int64_t> keep_;  // bytes of the file to keep; unset once writing has started
  bool has_header_ = false;
};

const nn::Register<CSVLoggerArgs, CallbackRef> registered{"CSVLogger", CSVLogger};

}  // namespace

CallbackRef CSVLogger(const CSVLoggerArgs& args) { return std::make_shared<Logger>(args); }

}  // namespace stoker::callbacks
