# Files generated when CMake configures: the version, the report page, the folders in which tests find files, and stoker/<group>.h for each folder include/stoker/<group>/.
set(STOKER_GENERATED ${PROJECT_BINARY_DIR}/include)
set(STOKER_VERSION ${PROJECT_VERSION})
find_package(Git QUIET)
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} describe --always --dirty
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE described
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed)
    string(APPEND STOKER_VERSION " (${described})")
    # A commit or checkout configures again, so that the program never reports an older commit.
    execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse --path-format=absolute --git-path logs/HEAD
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE head_log
      OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(EXISTS ${head_log})
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${head_log})
    endif()
  endif()
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/version.cpp.in ${PROJECT_BINARY_DIR}/version.cpp @ONLY)
# The report page's parts as strings: src/report/page/.
set(report_page "// Made from src/report/page/ by cmake/generated.cmake.\n#include \"report/page.h\"\n\nnamespace stoker::report {\n")
foreach(part IN ITEMS html css js)
  file(GLOB page_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/report/page/*.${part})
  list(SORT page_files)
  string(APPEND report_page "\nextern const char* const page_${part};\nconst char* const page_${part} =")
  foreach(file IN LISTS page_files)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} text)
    string(APPEND report_page "\n    R\"page(${text})page\"")
  endforeach()
  string(APPEND report_page ";\n")
endforeach()
string(APPEND report_page "\n}  // namespace stoker::report\n")
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/report_page.cpp CONTENT "@report_page@" @ONLY)

# In a header rather than on every command line, so that checkouts share a compiler cache.
file(CONFIGURE OUTPUT ${STOKER_GENERATED}/test_places.h CONTENT
"#pragma once
#define STOKER_SOURCE_DIR \"@PROJECT_SOURCE_DIR@\"
#define STOKER_BINARY_DIR \"@PROJECT_BINARY_DIR@\"
" @ONLY)

file(GLOB_RECURSE public_headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/include
  ${PROJECT_SOURCE_DIR}/include/stoker/*.h)
set(groups "")
foreach(header IN LISTS public_headers)
  if(header MATCHES "^stoker/([^/]+)/")
    list(APPEND groups ${CMAKE_MATCH_1})
    string(APPEND umbrella_${CMAKE_MATCH_1} "#include \"${header}\"\n")
  endif()
endforeach()
list(REMOVE_DUPLICATES groups)
foreach(group IN LISTS groups)
  file(CONFIGURE OUTPUT ${STOKER_GENERATED}/stoker/${group}.h
    CONTENT "#pragma once\n${umbrella_${group}}" @ONLY)
endforeach()
