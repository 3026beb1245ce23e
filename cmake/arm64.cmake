# Toolchain: 64-bit Arm by Debian's cross compiler and libraries (tools/setup.sh --arm64). Programs run by the emulator, whose
# processor is that of the environment variable QEMU_CPU.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(triple aarch64-linux-gnu)
set(CMAKE_C_COMPILER ${triple}-gcc)
set(CMAKE_CXX_COMPILER ${triple}-g++)
set(CMAKE_LIBRARY_ARCHITECTURE ${triple})
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64)
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/${triple}/pkgconfig:/usr/share/pkgconfig)
# Debian's libraries go with Debian's loader, wherever programs look for one: qemu -L would give them the cross compiler's.
set(CMAKE_EXE_LINKER_FLAGS_INIT -Wl,--dynamic-linker=/lib/${triple}/ld-linux-aarch64.so.1)
