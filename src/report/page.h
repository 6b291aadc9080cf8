#pragma once

// The page's parts, made from src/report/page/ when the build is configured.
namespace stoker::report {

extern const char* const page_html;
extern const char* const page_css;
extern const char* const page_js;

}  // namespace stoker::report
