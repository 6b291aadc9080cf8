# libstoker.a from src/, and stoker::stoker, which links all of its objects: ops, layers and others
# register themselves by static objects that nothing refers to.
file(GLOB_RECURSE library_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.cpp)
list(FILTER library_sources EXCLUDE REGEX "_test\\.cpp$")

# Code that reads files: in fuzzers' builds only this is instrumented for coverage (-fsanitize=fuzzer-no-link).
set(readers ${library_sources})
list(FILTER readers INCLUDE REGEX "/src/(core|data|device|io|ledger|observe|recipe|report)/|/src/nn/(saving|config)/|/src/nn/[^/]+$|/callbacks/(checkpoint_folder|position_config).cpp$")
list(REMOVE_ITEM library_sources ${readers})
# Code that never runs inside a step or an input pipeline: observing programs, records, recipes, model files.
set(cold ${readers})
list(FILTER cold INCLUDE REGEX "/src/(observe|recipe|report)/")
set(parsers ${readers})
list(FILTER parsers INCLUDE REGEX "/src/io/")
set(cold_parsers ${readers})
list(FILTER cold_parsers INCLUDE REGEX "/src/nn/(saving|config)/")
list(REMOVE_ITEM readers ${cold} ${parsers} ${cold_parsers})
stoker_together(readers readers 900 ".")
stoker_together(parsers parsers 900 ".")
stoker_together(cold cold 900 ".")
stoker_together(cold_parsers cold_parsers 900 ".")
set_property(SOURCE ${cold} ${cold_parsers} APPEND PROPERTY COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>)
list(APPEND readers ${cold})
list(APPEND parsers ${cold_parsers})
# stoker_watched(NAME FILES OPTION...): objects that are instrumented for coverage.
function(stoker_watched name files)
  add_library(${name} OBJECT ${files})
  target_include_directories(${name} PRIVATE
    ${PROJECT_SOURCE_DIR}/include ${STOKER_GENERATED} ${PROJECT_SOURCE_DIR}/src)
  target_compile_options(${name} PRIVATE ${ARGN}
    -fsanitize-coverage=inline-8bit-counters,indirect-calls,trace-cmp,pc-table)
  target_link_libraries(${name} PRIVATE stoker_flags fmt::fmt ZLIB::ZLIB JPEG::JPEG PNG::PNG Threads::Threads)
  stoker_precompile(${name})
endfunction()
if(STOKER_FUZZ)
  # Fuzzers spend their time in parsers, so these have -O1, although clang then takes more than twice as long to compile them.
  stoker_watched(stoker_parsers "${parsers}" -O1)
  stoker_watched(stoker_readers "${readers}")
  set(readers $<TARGET_OBJECTS:stoker_readers> $<TARGET_OBJECTS:stoker_parsers>)
else()
  list(APPEND readers ${parsers})
endif()
# Layers, losses and others run when a step is traced, not while it runs.
set(traced ${library_sources})
list(FILTER traced INCLUDE REGEX "/src/nn/")
list(FILTER traced EXCLUDE REGEX "/src/nn/(callbacks|training)/")
list(REMOVE_ITEM library_sources ${traced})
stoker_together(traced traced 900 ".")
set_property(SOURCE ${traced} APPEND PROPERTY COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>)
stoker_together(library_sources training 900 "/src/nn/")
stoker_together(library_sources graph 900 "/src/(exec|graph|ops)/")
add_library(stoker_static STATIC ${library_sources} ${readers} ${traced} ${PROJECT_BINARY_DIR}/version.cpp
  ${PROJECT_BINARY_DIR}/report_page.cpp)
set_target_properties(stoker_static PROPERTIES OUTPUT_NAME stoker)
target_include_directories(stoker_static
  PUBLIC ${PROJECT_SOURCE_DIR}/include ${STOKER_GENERATED}
  PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_compile_features(stoker_static PUBLIC cxx_std_20)
# The folder with the plugins of this build, for programs in other folders.
set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/device/plugin_file.cpp APPEND PROPERTY
  COMPILE_DEFINITIONS STOKER_PLUGIN_DIR="${PROJECT_BINARY_DIR}")
target_link_libraries(stoker_static
  PUBLIC fmt::fmt Threads::Threads
  PRIVATE stoker_flags ZLIB::ZLIB JPEG::JPEG PNG::PNG $<LINK_ONLY:PkgConfig::libhwy> ${CMAKE_DL_LIBS})

stoker_precompile(stoker_static)

add_library(stoker_whole INTERFACE)
target_link_libraries(stoker_whole INTERFACE $<LINK_LIBRARY:WHOLE_ARCHIVE,stoker_static>)
add_library(stoker::stoker ALIAS stoker_whole)
