# stoker_together(SOURCES): in the list SOURCES, puts files of src/nn in one translation unit with others of their
# folder, as half of their compile time is the same templates again. A build without it compiles each alone and tells
# what one forgot to include.
option(STOKER_TOGETHER "Compile many files of src/nn as one" OFF)
function(stoker_together sources)
  if(NOT STOKER_TOGETHER)
    return()
  endif()
  set(units "")
  foreach(folder nn nn/callbacks nn/layers nn/losses nn/metrics nn/operations nn/optimizers nn/schedules)
    set(files ${${sources}})
    list(FILTER files INCLUDE REGEX "/src/${folder}/[^/]+$")
    list(REMOVE_ITEM ${sources} ${files})
    list(LENGTH files count)
    math(EXPR count "(${count} + 15) / 16")
    foreach(file IN LISTS files)
      # By its name, so that a new file changes one unit.
      cmake_path(GET file STEM name)
      string(MD5 number ${name})
      string(SUBSTRING ${number} 0 6 number)
      math(EXPR number "0x${number} % ${count}")
      set(unit ${PROJECT_BINARY_DIR}/together/${folder}_${number}.cpp)
      list(APPEND units ${unit})
      # What registers a file's class has this name in each of them.
      string(APPEND text_of_${unit} "#define registered registered_${name}\n"
        "#include \"${folder}/${name}.cpp\"\n#undef registered\n")
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES units)
  foreach(unit IN LISTS units)
    file(CONFIGURE OUTPUT ${unit} CONTENT "${text_of_${unit}}" @ONLY)
  endforeach()
  # One file's constant is another's parameter.
  set_source_files_properties(${units} PROPERTIES COMPILE_OPTIONS -Wno-shadow)
  set(${sources} ${${sources}} ${units} PARENT_SCOPE)
endfunction()
