# Programs and shared libraries for every Linux with glibc 2.28 or newer, on Debian 12: GCC compiles as it does for this
# system, Zig links against its stubs of that glibc, and all other libraries are linked statically. The linker refuses a
# function that glibc 2.28 lacks and newer_glibc.c does not give. Zig knows no --exclude-libs: a shared library hides what is
# not its own by a version script.
# tools/setup.sh --package and packaging/dependencies.sh build/dependencies make what it needs.
set(SKALD_STATIC_LIBRARIES ON)
set(CMAKE_LIBRARY_ARCHITECTURE x86_64-linux-gnu) # CMake asks the linker of GCC for it
get_filename_component(source_dir ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)
set(SKALD_DEPENDENCIES ${source_dir}/build/dependencies/installed)
list(PREPEND CMAKE_PREFIX_PATH ${SKALD_DEPENDENCIES})

file(GLOB SKALD_ZIG ${source_dir}/build/zig-venv/lib/python3*/site-packages/ziglang/zig)
if(NOT SKALD_ZIG)
  message(FATAL_ERROR "there is no Zig in build/zig-venv: tools/setup.sh --package gets it")
endif()
foreach(library libstdc++.a libgcc_eh.a libgcc.a)
  execute_process(COMMAND g++ -print-file-name=${library} OUTPUT_VARIABLE path OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(APPEND runtime " ${path}")
endforeach()

set(link "${CMAKE_COMMAND} -E env ZIG_GLOBAL_CACHE_DIR=${source_dir}/build/zig-cache ZIG_LOCAL_CACHE_DIR=${source_dir}/build/zig-cache \
${SKALD_ZIG} cc -target x86_64-linux-gnu.2.28 -O2 -fPIC ${CMAKE_CURRENT_LIST_DIR}/newer_glibc.c")
set(inputs "<LINK_FLAGS> <OBJECTS> -o <TARGET> <LINK_LIBRARIES>${runtime} -lm -lpthread -ldl")
foreach(language C CXX)
  set(CMAKE_${language}_LINK_EXECUTABLE "${link} ${inputs}")
  set(CMAKE_${language}_CREATE_SHARED_LIBRARY "${link} -shared <SONAME_FLAG><TARGET_SONAME> ${inputs}")
  set(CMAKE_${language}_CREATE_SHARED_MODULE ${CMAKE_${language}_CREATE_SHARED_LIBRARY})
endforeach()
