#pragma once

namespace stoker::report {

inline constexpr const char* format_name = "stoker run";   // what run.json begins with
inline constexpr const char* file_name = "run.json";       // in a run's folder
inline constexpr const char* data_element = "run-record";  // id of the page's element that holds it

}  // namespace stoker::report
