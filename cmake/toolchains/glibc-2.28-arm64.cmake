# As glibc-2.28.cmake, for 64-bit Arm. tools/setup.sh --arm64 --package gets what it needs, and packaging/dependencies.sh with
# arm64_compiler.cmake builds the rest into build/arm64-dependencies.
include(${CMAKE_CURRENT_LIST_DIR}/arm64_compiler.cmake)
set(dependencies arm64-dependencies)
include(${CMAKE_CURRENT_LIST_DIR}/glibc-2.28.cmake)
