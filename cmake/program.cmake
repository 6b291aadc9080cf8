# The program build/stoker from cli/.
file(GLOB_RECURSE program_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cli/*.cpp)
list(FILTER program_sources EXCLUDE REGEX "_test\\.cpp$")
get_property(plugins GLOBAL PROPERTY STOKER_PLUGINS)
set(plugin "")  # what every program needs; a GPU's is found where it was built
if(TARGET stoker_cpu)
  set(plugin stoker_cpu)
endif()
if(program_sources)
  stoker_together(program_sources cli 600 "/cli/")  # reading and compiling CLI11 takes each of them 4 s
  add_executable(stoker ${program_sources})
  target_include_directories(stoker PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/cli)
  target_link_libraries(stoker PRIVATE stoker::stoker stoker_flags CLI11::CLI11
    PkgConfig::tomlplusplus)
  target_compile_options(stoker PRIVATE $<$<CONFIG:Release>:-O1>)
  stoker_precompile(stoker)
  set_target_properties(stoker PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  if(plugin)
    add_dependencies(stoker ${plugin})
  endif()
endif()
