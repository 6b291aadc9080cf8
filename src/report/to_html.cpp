#include "core/main_process.h"
#include "io/atomic_file.h"
#include "report/downsample.h"
#include "report/format.h"
#include "report/page.h"
#include "stoker/run_record.h"

namespace stoker {
namespace report {
namespace {

constexpr size_t most_points = 1000;  // of a curve; screens do not show more

void replace(std::string& text, const std::string& mark, const std::string& by) {
  const size_t at = text.find(mark);
  text.replace(at, mark.size(), by);
}

// Inside a script element: nothing in it can close the element.
std::string escaped(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json)
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  return out;
}

}  // namespace
}  // namespace report

std::string to_html(const RunRecord& run) {
  RunRecord shown = run;
  for (RunRecord::Curve& curve : shown.curves) report::downsample(curve, report::most_points);
  std::string page = report::page_html;
  report::replace(page, "/*STYLE*/", report::page_css);
  report::replace(page, "/*SCRIPT*/", report::page_js);
  report::replace(page, "ELEMENT", report::data_element);
  report::replace(page, "RECORD", report::escaped(to_config(shown).to_string()));
  return page;
}

void save_page(const std::string& path, const RunRecord& run) {
  if (is_main_process()) write_file(path, to_html(run));
}

}  // namespace stoker
