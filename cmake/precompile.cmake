# stoker_precompile(TARGET [HEADER…]): precompiles the headers that nearly every file includes, which take half
# of a small file's compile time. Never a header of this project: those change.
option(STOKER_PRECOMPILE "Precompile the library headers that most files include" ON)
# GCC 12 treats precompiled headers as the program's own code and warns inside std::string.
set(STOKER_PRECOMPILED_QUIRKS "$<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-stringop-overflow>")
function(stoker_precompile target)
  if(STOKER_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE <algorithm> <cmath> <cstdint> <functional> <map>
      <memory> <optional> <set> <source_location> <span> <string> <variant> <vector>
      <fmt/format.h> ${ARGN})
    # ccache identifies clang's by their contents.
    target_compile_options(${target} PRIVATE
      "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
  endif()
endfunction()
