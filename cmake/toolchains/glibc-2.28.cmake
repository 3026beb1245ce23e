# Programs and shared libraries for every Linux with glibc 2.28 or newer, on Debian 12: GCC compiles as it does for this
# system, and links against stubs of that glibc; all other libraries are linked statically. The linker refuses a function
# that glibc 2.28 lacks and newer_glibc.c does not give. Functions of equal instructions are linked once: tiers share many.
# tools/setup.sh --package and packaging/dependencies.sh build/dependencies make what it needs.
set(SKALD_STATIC_LIBRARIES ON)
if(NOT DEFINED triple) # as glibc-2.28-arm64.cmake does
  set(triple x86_64-linux-gnu)
  set(dependencies dependencies)
endif()
set(CMAKE_LIBRARY_ARCHITECTURE ${triple}) # CMake asks the linker of the system for it
get_filename_component(source_dir ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)
set(SKALD_DEPENDENCIES ${source_dir}/build/${dependencies}/installed)
list(PREPEND CMAKE_PREFIX_PATH ${SKALD_DEPENDENCIES})
set(glibc ${SKALD_DEPENDENCIES}/glibc)
if(NOT EXISTS ${glibc}/libc.so)
  message(FATAL_ERROR "there is no ${glibc}: packaging/dependencies.sh makes it")
endif()

set(ends "")
foreach(part crtbeginS.o crtendS.o)
  execute_process(COMMAND ${triple}-g++ -print-file-name=${part} OUTPUT_VARIABLE path OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(APPEND ends " ${path}")
endforeach()
set(link "-nostartfiles -static-libstdc++ -static-libgcc -L${glibc} -B${glibc} -fuse-ld=lld${ends} \
-Wl,--icf=all,--gc-sections,--exclude-libs,ALL,-z,relro,-z,now")
set(CMAKE_EXE_LINKER_FLAGS_INIT "${glibc}/Scrt1.o -pie ${link}")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "${link}")
set(CMAKE_MODULE_LINKER_FLAGS_INIT "${link}")
foreach(language C CXX)
  set(CMAKE_${language}_FLAGS_INIT "-ffunction-sections -fdata-sections")
endforeach()
