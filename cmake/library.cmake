# libstoker.a from src/, and stoker::stoker, which keeps every object of it: ops, layers and the
# like register themselves by static objects that nothing refers to.
file(GLOB_RECURSE library_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.cpp)
list(FILTER library_sources EXCLUDE REGEX "_test\\.cpp$")
if(STOKER_SANITIZE STREQUAL "thread")  # what its tests need
  list(FILTER library_sources INCLUDE REGEX "/src/(core|ledger|device|graph|ops|exec|data)/")
endif()

set(alike src/nn)
foreach(folder callbacks layers losses metrics operations optimizers schedules)
  list(APPEND alike src/nn/${folder})
endforeach()
if(STOKER_FUZZ)
  # The readers are watched; what they make models of is many files, and stays as it is.
  set(unwatched ${library_sources})
  list(FILTER unwatched EXCLUDE REGEX "/src/(core|io|nn/saving)/|/src/nn/[^/]+$")
  list(REMOVE_ITEM library_sources ${unwatched})
  stoker_together(unwatched 16 ${alike})
  add_library(stoker_unwatched OBJECT ${unwatched})
  target_include_directories(stoker_unwatched PRIVATE
    ${PROJECT_SOURCE_DIR}/include ${STOKER_GENERATED} ${PROJECT_SOURCE_DIR}/src)
  target_compile_options(stoker_unwatched PRIVATE -O0 -g0)
  target_link_libraries(stoker_unwatched PRIVATE stoker_warnings fmt::fmt)
  stoker_precompile(stoker_unwatched)
  list(APPEND library_sources $<TARGET_OBJECTS:stoker_unwatched>)
endif()

stoker_together(library_sources 16 ${alike})
add_library(stoker_static STATIC ${library_sources} ${PROJECT_BINARY_DIR}/version.cpp)
set_target_properties(stoker_static PROPERTIES OUTPUT_NAME stoker)
target_include_directories(stoker_static
  PUBLIC ${PROJECT_SOURCE_DIR}/include ${STOKER_GENERATED}
  PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_compile_features(stoker_static PUBLIC cxx_std_20)
# Where the plugins of this build lie, for programs that are not beside them.
set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/device/backend.cpp APPEND PROPERTY
  COMPILE_DEFINITIONS STOKER_PLUGIN_DIR="${PROJECT_BINARY_DIR}")
target_link_libraries(stoker_static
  PUBLIC fmt::fmt Threads::Threads
  PRIVATE stoker_flags ZLIB::ZLIB ${CMAKE_DL_LIBS})

stoker_precompile(stoker_static)

add_library(stoker_whole INTERFACE)
target_link_libraries(stoker_whole INTERFACE $<LINK_LIBRARY:WHOLE_ARCHIVE,stoker_static>)
add_library(stoker::stoker ALIAS stoker_whole)
