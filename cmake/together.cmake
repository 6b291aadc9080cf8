# stoker_together(SOURCES PER_UNIT FOLDER…): in the list SOURCES, puts the files of each folder in translation units of
# about so many, as most of their compile time is the same headers and templates again. Does nothing to folders that
# STOKER_TOGETHER does not match: a build without it compiles each file alone and tells what one forgot to include.
set(STOKER_TOGETHER "^cli$" CACHE STRING "Folders whose files compile many at a time, as a regular expression")
function(stoker_together sources per_unit)
  set(units "")
  foreach(folder IN LISTS ARGN)
    if(NOT STOKER_TOGETHER OR NOT folder MATCHES "${STOKER_TOGETHER}")
      continue()
    endif()
    set(files ${${sources}})
    list(FILTER files INCLUDE REGEX "^${PROJECT_SOURCE_DIR}/${folder}/[^/]+$")
    list(REMOVE_ITEM ${sources} ${files})
    list(LENGTH files count)
    math(EXPR count "(${count} + ${per_unit} - 1) / ${per_unit}")
    foreach(file IN LISTS files)
      # By its name, so that a new file changes one unit.
      cmake_path(GET file STEM name)
      string(MD5 number ${name})
      string(SUBSTRING ${number} 0 6 number)
      math(EXPR number "0x${number} % ${count}")
      set(unit ${PROJECT_BINARY_DIR}/together/${folder}_${number}.cpp)
      list(APPEND units ${unit})
      # What registers a file's class has this name in each of them.
      string(REGEX REPLACE "^src/" "" path ${folder}/${name}.cpp)
      string(APPEND text_of_${unit} "#define registered registered_${name}\n"
        "#include \"${path}\"\n#undef registered\n")
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES units)
  foreach(unit IN LISTS units)
    file(CONFIGURE OUTPUT ${unit} CONTENT "${text_of_${unit}}" @ONLY)
  endforeach()
  if(units)  # one file's constant is another's parameter
    set_source_files_properties(${units} PROPERTIES COMPILE_OPTIONS -Wno-shadow)
  endif()
  set(${sources} ${${sources}} ${units} PARENT_SCOPE)
endfunction()
