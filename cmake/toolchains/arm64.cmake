# 64-bit Arm by Debian's cross compiler, for tests here and for Arm machines with Debian 12.
include(${CMAKE_CURRENT_LIST_DIR}/arm64_compiler.cmake)
# Debian's libraries go with Debian's loader, wherever programs look for one: qemu -L would give them the cross compiler's.
set(CMAKE_EXE_LINKER_FLAGS_INIT -Wl,--dynamic-linker=/lib/${triple}/ld-linux-aarch64.so.1)
