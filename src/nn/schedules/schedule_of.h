#pragma once
#include <fmt/format.h>

#include "nn/config/registry.h"
#include "stoker/optimizer.h"

namespace stoker::nn {

using SchedulePtr = std::shared_ptr<const Schedule>;

// A schedule described by a struct of arguments and a rule on them.
template <class Args>
class ScheduleOf : public Schedule {
 public:
  using Rule = Tensor (*)(const Args& args, const Tensor& step);
  ScheduleOf(std::string class_name, const Args& args, Rule rule)
      : class_name_(std::move(class_name)), args_(args), rule_(rule) {}
  Tensor operator()(const Tensor& step) const override { return rule_(args_, step); }
  std::string class_name() const override { return class_name_; }
  Config get_config() const override { return write_args(args_); }

 private:
  std::string class_name_;
  Args args_;
  Rule rule_;
};

template <class Args>
LearningRate make_schedule(const std::string& class_name, const Args& args,
                           typename ScheduleOf<Args>::Rule rule) {
  return SchedulePtr(std::make_shared<ScheduleOf<Args>>(class_name, args, rule));
}

inline void expect_positive(const char* class_name, const char* argument, int64_t value) {
  if (value <= 0)
    throw InvalidArgument(
        fmt::format("[{}] {} must be positive, got {}.", class_name, argument, value));
}

template <class Args>
struct RegisterSchedule {
  RegisterSchedule(const std::string& class_name, LearningRate (*make)(const Args&),
                   std::source_location place = std::source_location::current()) {
    const auto from_config = [class_name, make](const Config& config) {
      return make(read_args<Args>(config, class_name)).schedule();
    };
    Registrar<SchedulePtr>(class_name, from_config, {}, place);
  }
};

}  // namespace stoker::nn
