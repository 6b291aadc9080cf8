# The program build/stoker from cli/.
file(GLOB program_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cli/*.cpp)
list(FILTER program_sources EXCLUDE REGEX "_test\\.cpp$")
get_property(plugins GLOBAL PROPERTY STOKER_PLUGINS)
if(program_sources)
  add_executable(stoker ${program_sources})
  target_link_libraries(stoker PRIVATE stoker::stoker stoker_flags CLI11::CLI11
    PkgConfig::tomlplusplus)
  stoker_precompile(stoker <CLI/CLI.hpp>)
  set_target_properties(stoker PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  if(plugins)
    add_dependencies(stoker ${plugins})
  endif()
endif()
