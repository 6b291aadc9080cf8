# stoker_together(SOURCES NAME LINES REGEX): in the list SOURCES, puts the files that the expression matches into translation
# units of about so many lines, as most of their compile time is the same headers and templates again. cmake/together.py
# chooses. STOKER_TOGETHER=OFF compiles each file alone, which finds missing includes (make alone).
option(STOKER_TOGETHER "Compile many files in one translation unit" ON)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
function(stoker_together list_name name lines regex)
  set(files ${${list_name}})
  list(FILTER files INCLUDE REGEX "${regex}")
  if(NOT STOKER_TOGETHER OR NOT files)
    return()
  endif()
  list(REMOVE_ITEM ${list_name} ${files})
  set(script ${PROJECT_SOURCE_DIR}/cmake/together.py)
  execute_process(COMMAND ${Python3_EXECUTABLE} ${script} ${PROJECT_BINARY_DIR}/together/${name}
    ${PROJECT_SOURCE_DIR} ${lines} ${files} OUTPUT_VARIABLE units COMMAND_ERROR_IS_FATAL ANY)
  # A new name in a file may require it to be in another unit.
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${script} ${files})
  set(made ${units})
  list(FILTER made INCLUDE REGEX "^${PROJECT_BINARY_DIR}/together/")
  if(made)  # one file's constant is another's parameter
    set_property(SOURCE ${made} PROPERTY COMPILE_OPTIONS -Wno-shadow)
  endif()
  set(${list_name} ${${list_name}} ${units} PARENT_SCOPE)
endfunction()
