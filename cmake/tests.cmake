# stoker_tests: the unit tests beside the sources and the cross-module tests of tests/.
file(GLOB_RECURSE unit_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*_test.cpp)
file(GLOB_RECURSE cross_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*.cpp)
# A folder with a CMakeLists.txt of its own is something else than a part of stoker_tests.
list(FILTER cross_tests EXCLUDE REGEX "/tests/(cuda_emulator|backend|differential)/")
stoker_keep_thread_tests(unit_tests)
stoker_keep_thread_tests(cross_tests)
if(STOKER_CUDA)
  add_subdirectory(tests/cuda_emulator)
endif()
add_subdirectory(tests/backend)
get_property(fakes GLOBAL PROPERTY STOKER_FAKES)
if(unit_tests OR cross_tests)
  stoker_test_program(stoker_tests ${unit_tests} ${cross_tests})
  target_include_directories(stoker_tests PRIVATE ${PROJECT_SOURCE_DIR}/src
    ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(stoker_tests PRIVATE stoker::stoker ZLIB::ZLIB)
  # Tests load the plugins and run the program.
  foreach(needed IN LISTS plugins fakes ITEMS stoker)
    if(TARGET ${needed} AND NOT (STOKER_SANITIZE STREQUAL "thread" AND needed STREQUAL "stoker"))
      add_dependencies(stoker_tests ${needed})
    endif()
  endforeach()
endif()

# differential_tests: the cases of tests/differential against real Keras, alone because they are many.
if(NOT STOKER_SANITIZE STREQUAL "thread")
  file(GLOB differential_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/differential/*.cpp)
  stoker_test_program(differential_tests ${differential_tests})
  target_include_directories(differential_tests PRIVATE ${PROJECT_SOURCE_DIR}/src
    ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(differential_tests PRIVATE stoker::stoker)
  add_dependencies(differential_tests ${plugins})
endif()

get_property(test_programs GLOBAL PROPERTY STOKER_TEST_PROGRAMS)
add_custom_target(tests DEPENDS ${test_programs})
list(JOIN test_programs "\n" test_programs)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/test_programs.txt CONTENT "${test_programs}\n" @ONLY)
