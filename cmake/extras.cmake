# Examples and benchmark programs: each source file is one program. The fuzzer.
function(stoker_programs folder)
  foreach(source IN LISTS ARGN)
    cmake_path(GET source STEM name)
    add_executable(${folder}_${name} ${source})
    set_target_properties(${folder}_${name} PROPERTIES OUTPUT_NAME ${name}
      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${folder})
    target_link_libraries(${folder}_${name} PRIVATE stoker::stoker stoker_flags)
    if(folder STREQUAL "bench")  # it also measures what is not public
      target_include_directories(${folder}_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    endif()
    if(plugin)
      add_dependencies(${folder}_${name} ${plugin})
    endif()
  endforeach()
endfunction()

file(GLOB examples CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.cpp)
stoker_programs(examples ${examples})
# A user's own program in that folder, which git does not track, may have warnings.
execute_process(COMMAND git ls-files examples WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
  OUTPUT_VARIABLE tracked_examples ERROR_QUIET)
add_custom_target(examples)
foreach(example IN LISTS examples)
  cmake_path(GET example STEM name)
  add_dependencies(examples examples_${name})
  if(NOT tracked_examples MATCHES "examples/${name}[.]cpp")
    set_source_files_properties(${example} PROPERTIES COMPILE_OPTIONS -Wno-error)  # after the target's own
  endif()
endforeach()

file(GLOB benches CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.cpp)
stoker_programs(bench ${benches})
foreach(bench IN LISTS benches)
  cmake_path(GET bench STEM name)
  target_include_directories(bench_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
endforeach()
target_link_libraries(bench_photographs PRIVATE JPEG::JPEG)

# bench/kernels/ measures the CPU backend's own kernels against OpenBLAS.
file(GLOB kernel_benches CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/kernels/*.cpp)
if(kernel_benches AND openblas_FOUND AND TARGET stoker_cpu_objects)
  add_executable(bench_kernels ${kernel_benches})
  set_target_properties(bench_kernels PROPERTIES OUTPUT_NAME kernels
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
  target_link_libraries(bench_kernels PRIVATE stoker_cpu_objects stoker_flags PkgConfig::openblas)
endif()

# bench/cuda_ops/ times every implementation the CUDA backend has for an op.
file(GLOB cuda_benches CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/cuda_ops/*.cpp)
if(cuda_benches AND TARGET stoker_cuda_objects)
  add_executable(bench_cuda_ops ${cuda_benches})
  set_target_properties(bench_cuda_ops PROPERTIES OUTPUT_NAME cuda_ops
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
  target_link_libraries(bench_cuda_ops PRIVATE stoker_cuda_objects stoker_flags)
endif()

# bench/gpu_busy/ measures by CUPTI how much of the time a GPU works.
if(TARGET stoker_cuda_headers)
  find_path(CUPTI_INCLUDE cupti.h HINTS ${CUDAToolkit_INCLUDE_DIRS}
    ${CUDAToolkit_TARGET_DIR}/extras/CUPTI/include /usr/local/cuda/extras/CUPTI/include)
  if(CUPTI_INCLUDE)
    add_library(stoker_gpu_busy MODULE ${PROJECT_SOURCE_DIR}/bench/gpu_busy/busy.cpp)
    target_include_directories(stoker_gpu_busy SYSTEM PRIVATE ${CUPTI_INCLUDE})
    target_link_libraries(stoker_gpu_busy PRIVATE stoker_cuda_headers stoker_flags ${CMAKE_DL_LIBS})
    set_target_properties(stoker_gpu_busy PROPERTIES OUTPUT_NAME gpu_busy
      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
    # The library that `stoker why --kernels -- COMMAND` loads into another program; not named libstoker_*.so, which are backends.
    add_library(stoker_inject MODULE ${PROJECT_SOURCE_DIR}/inject/inject.cpp)
    target_include_directories(stoker_inject SYSTEM PRIVATE ${CUPTI_INCLUDE})
    target_link_libraries(stoker_inject PRIVATE stoker_cuda_headers stoker_flags Threads::Threads ${CMAKE_DL_LIBS})
    set_target_properties(stoker_inject PROPERTIES OUTPUT_NAME stoker-inject LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  endif()
endif()

if(STOKER_FUZZ)
  # Older clang has no std::source_location with libstdc++.
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang" OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS 16)
    message(FATAL_ERROR "STOKER_FUZZ needs clang 16 or newer, got ${CMAKE_CXX_COMPILER_ID} "
      "${CMAKE_CXX_COMPILER_VERSION}. Hint: apt-get install clang-16 libclang-rt-16-dev, then cmake --preset fuzz")
  endif()
  # One program for all formats: it is linked against the whole library.
  add_executable(fuzzer ${PROJECT_SOURCE_DIR}/fuzz/main.cpp)
  target_include_directories(fuzzer PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(fuzzer PRIVATE stoker::stoker stoker_flags)
  target_link_options(fuzzer PRIVATE -fsanitize=fuzzer)
endif()
