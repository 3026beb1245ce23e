# Third-party libraries (Debian packages, named in tools/setup.sh).
if(SKALD_STATIC_LIBRARIES)  # of cmake/toolchains
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  set(OPENSSL_USE_STATIC_LIBS ON)
endif()
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
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
# Of the program only, to get models (src/hub).
find_package(CURL REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto SSL)
# Of the program only, to serve (src/serve): Asio and Beast, which are headers.
find_package(Boost 1.74 REQUIRED CONFIG)
