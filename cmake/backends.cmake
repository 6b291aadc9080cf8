# A backend is one folder with a CMakeLists.txt that calls stoker_backend().
file(GLOB backends CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/backends
  ${PROJECT_SOURCE_DIR}/backends/*/CMakeLists.txt)
if(NOT STOKER_CUDA)
  list(REMOVE_ITEM backends cuda/CMakeLists.txt)
elseif(NOT "cuda/CMakeLists.txt" IN_LIST backends)
  message(FATAL_ERROR "STOKER_CUDA is on, but this checkout has no CUDA backend: "
    "the folder backends/cuda is absent. Hint: build without it (-DSTOKER_CUDA=OFF).")
endif()
foreach(backend IN LISTS backends)
  cmake_path(GET backend PARENT_PATH folder)
  add_subdirectory(backends/${folder})
endforeach()
