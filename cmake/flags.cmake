# One language level and one set of flags for all targets.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
# For the sanitizers: with clang, -O0 compiles in a third of the time of -O1; with g++, -Og in little more than half of it.
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(CMAKE_CXX_FLAGS_DEBUG "-Og -g1")
endif()
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

add_library(stoker_warnings INTERFACE)
# Leaving out fields of a designated initialiser is how keyword arguments are written here.
target_compile_options(stoker_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 warns inside std::string's own operator+ at -O2.
  target_compile_options(stoker_warnings INTERFACE -Wno-restrict)
endif()
# New warnings of newer compilers must not break a user's build.
if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13 OR CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(werror ON)
else()
  set(werror OFF)
endif()
option(STOKER_WERROR "Warnings are errors" ${werror})
if(STOKER_WERROR)
  target_compile_options(stoker_warnings INTERFACE -Werror)
endif()

add_library(stoker_flags INTERFACE)
target_link_libraries(stoker_flags INTERFACE stoker_warnings)
if(STOKER_SANITIZE)
  set(sanitize -fsanitize=${STOKER_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # The instrumentation misleads GCC's flow analysis; the release build has these warnings on.
  target_compile_options(stoker_flags INTERFACE ${sanitize}
    "$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-stringop-overflow>")
  target_link_options(stoker_flags INTERFACE ${sanitize})
endif()

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Without the first two it caches nothing that uses a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER env
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
endif()
