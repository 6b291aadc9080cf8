# stoker_precompile(TARGET [HEADER…]): what nearly every file includes, read once per target instead of once
# per file; half of a small file's compile time. Never a header of this project: those change.
option(STOKER_PRECOMPILE "Precompile the library headers that most files include" ON)
# GCC 12 takes what is precompiled for the program's own and warns inside std::string.
set(STOKER_PRECOMPILED_QUIRKS "$<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-stringop-overflow>")
function(stoker_precompile target)
  if(STOKER_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE <algorithm> <cmath> <cstdint> <functional> <map>
      <memory> <optional> <set> <source_location> <span> <string> <variant> <vector>
      <fmt/format.h> ${ARGN})
    # ccache knows clang's by their contents.
    target_compile_options(${target} PRIVATE
      "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
  endif()
endfunction()
