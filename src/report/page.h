#pragma once

// The page's parts, generated from src/report/page/ at configure time.
namespace stoker::report {

extern const char* const page_html;
extern const char* const page_css;
extern const char* const page_js;

}  // namespace stoker::report
