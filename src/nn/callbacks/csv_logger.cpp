#include "stoker/callbacks/csv_logger.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "nn/register.h"

namespace stoker::callbacks {

template <class V>
void visit(CSVLoggerArgs& a, V& v) {
  v("filename", a.filename, nn::required);
  v("separator", a.separator);
  v("append", a.append);
}

namespace {

class Logger : public Callback {
 public:
  explicit Logger(const CSVLoggerArgs& args) : args_(args) {
    if (args.filename.empty()) throw InvalidArgument("CSVLogger needs \"filename\".");
  }

  void on_train_begin(const Logs&) override {
    std::error_code none;
    const auto size = std::filesystem::file_size(args_.filename, none);
    has_header_ = args_.append && !none && size > 0;
    file_.open(args_.filename, args_.append ? std::ios::app : std::ios::trunc);
    check();
  }

  void on_epoch_end(int64_t epoch, Logs& logs) override {
    if (columns_.empty()) choose_columns(logs);
    std::string row = fmt::format("{}", epoch);
    for (const std::string& column : columns_) {
      const double* value = logs.find(column);
      row += args_.separator + (value ? fmt::format("{}", *value) : "NA");
    }
    write(row);
  }

  void on_train_end(const Logs&) override {
    file_.close();
    columns_.clear();
  }

 private:
  void choose_columns(const Logs& logs) {
    for (const auto& [name, value] : logs) columns_.push_back(name);
    // With validation_freq the first epoch may be without them.
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
  bool has_header_ = false;
};

const nn::Register<CSVLoggerArgs, CallbackRef> registered{"CSVLogger", CSVLogger};

}  // namespace

CallbackRef CSVLogger(const CSVLoggerArgs& args) { return std::make_shared<Logger>(args); }

}  // namespace stoker::callbacks
