# libstoker.a from src/, and stoker::stoker, which keeps every object of it: ops, layers and the
# like register themselves by static objects that nothing refers to.
file(GLOB_RECURSE library_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.cpp)
list(FILTER library_sources EXCLUDE REGEX "_test\\.cpp$")

# What reads files; in fuzzers' builds the coverage of these alone is watched, as libFuzzer's -fsanitize=fuzzer-no-link has it.
set(readers ${library_sources})
list(FILTER readers INCLUDE REGEX "/src/(core|data|device|io|ledger|observe|recipe|report)/|/src/nn/(saving|config)/|/src/nn/[^/]+$|/callbacks/(checkpoint_folder|position_config).cpp$")
list(REMOVE_ITEM library_sources ${readers})
# Programs watched from outside, records, recipes and model files: nothing of them runs inside a step or an input pipeline.
set(cold ${readers})
list(FILTER cold INCLUDE REGEX "/src/(observe|recipe|report)/|/src/nn/(saving|config)/")
list(REMOVE_ITEM readers ${cold})
stoker_together(readers readers 900 ".")
stoker_together(cold cold 900 ".")
set_property(SOURCE ${cold} APPEND PROPERTY COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>)
list(APPEND readers ${cold})
if(STOKER_FUZZ)
  add_library(stoker_readers OBJECT ${readers})
  target_include_directories(stoker_readers PRIVATE
    ${PROJECT_SOURCE_DIR}/include ${STOKER_GENERATED} ${PROJECT_SOURCE_DIR}/src)
  target_compile_options(stoker_readers PRIVATE -O1
    -fsanitize-coverage=inline-8bit-counters,indirect-calls,trace-cmp,pc-table)
  target_link_libraries(stoker_readers PRIVATE stoker_flags fmt::fmt ZLIB::ZLIB JPEG::JPEG PNG::PNG Threads::Threads)
  stoker_precompile(stoker_readers)
  set(readers $<TARGET_OBJECTS:stoker_readers>)
endif()
# Layers, losses and the like run when a step is traced, not while it runs.
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
# Where the plugins of this build lie, for programs that are not beside them.
set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/device/plugin_file.cpp APPEND PROPERTY
  COMPILE_DEFINITIONS STOKER_PLUGIN_DIR="${PROJECT_BINARY_DIR}")
target_link_libraries(stoker_static
  PUBLIC fmt::fmt Threads::Threads
  PRIVATE stoker_flags ZLIB::ZLIB JPEG::JPEG PNG::PNG $<LINK_ONLY:PkgConfig::libhwy> ${CMAKE_DL_LIBS})

stoker_precompile(stoker_static)

add_library(stoker_whole INTERFACE)
target_link_libraries(stoker_whole INTERFACE $<LINK_LIBRARY:WHOLE_ARCHIVE,stoker_static>)
add_library(stoker::stoker ALIAS stoker_whole)
