# Third-party libraries (Debian packages, named in tools/setup.sh).
if(SKALD_STATIC_LIBRARIES)  # of cmake/toolchains
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  set(OPENSSL_USE_STATIC_LIBS ON)
endif()
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)

# skald_can_link(<variable> <target> <code>): whether a C++ library was compiled with the standard library of this build.
# Debian's were with GCC's, whose strings are not those of libc++.
include(CheckCXXSourceCompiles)
function(skald_can_link variable target code)
  set(CMAKE_REQUIRED_LIBRARIES ${target})
  set(CMAKE_REQUIRED_QUIET ON)
  check_cxx_source_compiles("${code}" ${variable})
endfunction()

# What the library's own headers make of both is compiled with ours instead.
set(SKALD_LOG_LIBRARIES fmt::fmt spdlog::spdlog)
skald_can_link(SKALD_LINKS_FMT fmt::fmt "#include <fmt/format.h>
int main() { return fmt::format(\"{}\", 1).empty(); }")
if(NOT SKALD_LINKS_FMT)
  message(STATUS "libfmt is of another C++ library: fmt and spdlog are compiled from their headers")
  set(SKALD_LOG_LIBRARIES fmt::fmt-header-only spdlog::spdlog_header_only)
  set_target_properties(spdlog::spdlog_header_only PROPERTIES INTERFACE_LINK_LIBRARIES "Threads::Threads;fmt::fmt-header-only")
endif()
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8)
pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)
pkg_check_modules(GMP REQUIRED IMPORTED_TARGET gmp)
pkg_check_modules(LIBEDIT REQUIRED IMPORTED_TARGET libedit) # the program's
if(SKALD_STATIC_LIBRARIES)
  foreach(library tinfo bsd md) # a static library does not name those that it needs
    find_library(SKALD_LIB_${library} ${library} REQUIRED)
    target_link_libraries(PkgConfig::LIBEDIT INTERFACE ${SKALD_LIB_${library}})
  endforeach()
endif()
# Of the program only, to get models (src/hub) and to keep pages of prompts on servers (src/stores).
find_package(CURL REQUIRED)
pkg_check_modules(HIREDIS REQUIRED IMPORTED_TARGET hiredis)
# It asks for -D_FILE_OFFSET_BITS=64, which systems of 64 bits need not, and precompiled headers were made without.
set_target_properties(PkgConfig::HIREDIS PROPERTIES INTERFACE_COMPILE_OPTIONS "")
find_package(OpenSSL REQUIRED COMPONENTS Crypto SSL)
# Of the program only, to serve (src/serve): Asio and Beast, which are headers.
find_package(Boost 1.74 REQUIRED CONFIG)
