# stoker_backend(<name> LIBRARIES … OPTIONS …), called from backends/<name>/CMakeLists.txt:
#   stoker_<name>         the plugin libstoker_<name>.so, in the program's folder
#   backend_<name>_tests  its *_test.cpp linked with the same objects
# src/core is compiled in and hidden, so a plugin shares no symbol with the program.
function(stoker_backend name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES;OPTIONS")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  file(GLOB_RECURSE core CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/core/*.cpp)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  list(FILTER core EXCLUDE REGEX "_test\\.cpp$")
  if(NOT sources)
    return()
  endif()

  stoker_together(core core_of_${name} 900 "/src/core/")
  stoker_together(sources ${name} 900 "/backends/${name}/")
  add_library(stoker_${name}_objects OBJECT ${sources} ${core})
  set_target_properties(stoker_${name}_objects PROPERTIES
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_include_directories(stoker_${name}_objects PUBLIC
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
  target_compile_options(stoker_${name}_objects PRIVATE ${arg_OPTIONS})
  target_link_libraries(stoker_${name}_objects
    PUBLIC fmt::fmt Threads::Threads ${arg_LIBRARIES} PRIVATE stoker_flags)

  stoker_precompile(stoker_${name}_objects)
  target_compile_options(stoker_${name}_objects PRIVATE ${STOKER_PRECOMPILED_QUIRKS})

  add_library(stoker_${name} MODULE)
  target_link_libraries(stoker_${name} PRIVATE stoker_${name}_objects stoker_flags)
  set_target_properties(stoker_${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  set_property(GLOBAL APPEND PROPERTY STOKER_PLUGINS stoker_${name})

  stoker_test_program(backend_${name}_tests ${tests})
  if(TARGET backend_${name}_tests)
    target_link_libraries(backend_${name}_tests PRIVATE stoker_${name}_objects)
    if(STOKER_SANITIZE)  # the tests then know which instruction sets were compiled, and their references are not slow
      target_compile_options(backend_${name}_tests PRIVATE ${arg_OPTIONS})
    endif()
  endif()
endfunction()
