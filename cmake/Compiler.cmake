# Language level, warnings and sanitizers: one interface target that every target of ours links.
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

find_program(CCACHE ccache)
if(CCACHE)
  # Paths relative to the checkout: a second clone finds what the first one compiled. Precompiled headers need the sloppiness.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
endif()

set(SKALD_SANITIZE "" CACHE STRING "Sanitizers, comma separated: address,undefined or thread")

add_library(skald_options INTERFACE)
target_compile_features(skald_options INTERFACE cxx_std_20)
# No contraction: a product and a sum are fused only where a kernel says so, hence results do not depend on the optimiser.
target_compile_options(skald_options INTERFACE -Wall -Wextra -Wpedantic -Werror -ffp-contract=off -fvisibility=hidden)
if(SKALD_SANITIZE)
  target_compile_options(skald_options INTERFACE -fsanitize=${SKALD_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(skald_options INTERFACE -fsanitize=${SKALD_SANITIZE})
endif()

# Without them (CMAKE_DISABLE_PRECOMPILE_HEADERS) every file shows that it includes what it uses.
set(SKALD_PRECOMPILED <algorithm> <array> <cmath> <cstdint> <functional> <map> <memory> <optional> <span> <string>
  <string_view> <unordered_map> <vector> <fmt/format.h>)
