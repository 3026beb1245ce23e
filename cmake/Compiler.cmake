# Language level, warnings and sanitizers: one interface target that every target of ours links.
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

find_program(CCACHE ccache)
if(CCACHE)
  # Paths relative to the checkout: a second clone finds what the first one compiled. Precompiled headers need the sloppiness.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_PCH_EXTSUM=1
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
endif()

set(SKALD_SANITIZE "" CACHE STRING "Sanitizers, comma separated: address,undefined or thread")

add_library(skald_options INTERFACE)
target_compile_features(skald_options INTERFACE cxx_std_20)
# No contraction: a product and a sum are fused only where a kernel says so, hence results do not depend on the optimiser.
target_compile_options(skald_options INTERFACE -Wall -Wextra -Wpedantic -Werror -ffp-contract=off -fvisibility=hidden)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)  # warnings of GCC's are turned off here and there
  target_compile_options(skald_options INTERFACE -Wno-unknown-warning-option)
endif()
if(SKALD_PROCESSOR STREQUAL aarch64)
  target_compile_options(skald_options INTERFACE -fsigned-char) # as on x86-64
endif()
if(SKALD_SANITIZE)
  target_compile_options(skald_options INTERFACE -fsanitize=${SKALD_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all
    -Wno-maybe-uninitialized)  # GCC documents that it is wrong beside sanitizers
  target_link_options(skald_options INTERFACE -fsanitize=${SKALD_SANITIZE})
endif()

# Without them (CMAKE_DISABLE_PRECOMPILE_HEADERS) every file shows that it includes what it uses.
set(SKALD_PRECOMPILED <algorithm> <array> <cmath> <cstdint> <functional> <map> <memory> <optional> <span> <string>
  <string_view> <unordered_map> <vector> <fmt/format.h>)

# GCC never writes the same bytes of a precompiled header twice, and ccache would take those for what all files behind it are made
# of: nothing that was compiled with one is found with another. A file beside it, which ccache reads instead, says what is in it.
# skald_sum_precompiled(<target> <headers...>), in the folder of the target; without GCC or ccache the file does no harm.
function(skald_sum_precompiled target)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir)
  list(TRANSFORM ARGN PREPEND "#include " OUTPUT_VARIABLE lines)
  list(JOIN lines "\n" lines)
  file(CONFIGURE OUTPUT ${folder}/summed.cpp CONTENT "${lines}\n" @ONLY)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 -E -P ${folder}/summed.cpp
    OUTPUT_VARIABLE text ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    file(REMOVE ${folder}/cmake_pch.hxx.gch.sum)  # ccache reads the bytes then
  else()
    string(SHA256 sum "${text}")
    file(CONFIGURE OUTPUT ${folder}/cmake_pch.hxx.gch.sum CONTENT "${sum}\n" @ONLY)
  endif()
endfunction()
