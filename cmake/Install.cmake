# cmake --install: the library, static and shared, with its headers and what find_package(skald) and pkg-config read, and the
# program with its manual page and what shells complete it by.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/skald)

install(TARGETS skald skald_shared EXPORT skald_targets)
install(TARGETS skald_main COMPONENT program)
install(DIRECTORY ${CMAKE_BINARY_DIR}/manual/ DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT program)
install(DIRECTORY include/skald DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

configure_package_config_file(cmake/skaldConfig.cmake.in ${CMAKE_BINARY_DIR}/skaldConfig.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/skaldConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/skaldConfig.cmake ${CMAKE_BINARY_DIR}/skaldConfigVersion.cmake DESTINATION ${package_dir})

# Relative to the file: a copy may be installed anywhere.
file(RELATIVE_PATH SKALD_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/skald.pc.in ${CMAKE_BINARY_DIR}/skald.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/skald.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(EXPORT skald_targets FILE skaldTargets.cmake NAMESPACE skald:: DESTINATION ${package_dir})
