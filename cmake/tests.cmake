# stoker_tests: the unit tests in the folders of the sources and the cross-module tests of tests/.
file(GLOB_RECURSE unit_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*_test.cpp)
file(GLOB_RECURSE cross_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*.cpp)
# A folder with its own CMakeLists.txt is not a part of stoker_tests.
list(FILTER cross_tests EXCLUDE REGEX "/tests/(cuda_emulator|backend|fake_nvidia|differential|faults|programs)/|/thread_watch[.]cpp$")
if(STOKER_CUDA)
  add_subdirectory(tests/cuda_emulator)
endif()
add_subdirectory(tests/backend)
add_subdirectory(tests/fake_nvidia)
add_subdirectory(tests/faults)
add_subdirectory(tests/programs)
get_property(fakes GLOBAL PROPERTY STOKER_FAKES)
stoker_test_program(stoker_tests ${unit_tests} ${cross_tests})

# differential_tests: the cases of tests/differential against real Keras, in a separate program because they are many.
file(GLOB differential_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/differential/*.cpp)
stoker_test_program(differential_tests ${differential_tests})

# Tests load the plugins and run the program. ThreadSanitizer's build needs no program, but the emulated GPU.
set(needed ${plugin} ${fakes})
if(NOT STOKER_SANITIZE STREQUAL "thread")
  list(APPEND needed stoker)
elseif(STOKER_CUDA)
  list(APPEND needed stoker_cuda emulator_driver emulator_nvrtc)
endif()
foreach(program IN ITEMS stoker_tests differential_tests)
  if(TARGET ${program})
    target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
    target_link_libraries(${program} PRIVATE stoker::stoker ZLIB::ZLIB)
    add_dependencies(${program} ${needed})
  endif()
endforeach()

get_property(test_programs GLOBAL PROPERTY STOKER_TEST_PROGRAMS)
add_custom_target(tests DEPENDS ${test_programs})
list(JOIN test_programs "\n" test_programs)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/test_programs.txt CONTENT "${test_programs}\n" @ONLY)
