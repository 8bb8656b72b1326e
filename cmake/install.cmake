# Install rules: the executable, the library, headers for plug-ins, recipes and data manifests, and
# the package configuration of find_package(lvtext), which defines the target lvtext::lvtext.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(lvtext_share ${CMAKE_INSTALL_DATADIR}/lvtext)
set(lvtext_include ${CMAKE_INSTALL_INCLUDEDIR}/lvtext)
set(lvtext_package ${CMAKE_INSTALL_LIBDIR}/cmake/lvtext)

# The executable finds the library by a relative path, so the prefix can be moved; both find
# LibTorch at its path of build time (LD_LIBRARY_PATH overrides it).
file(RELATIVE_PATH to_library ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set_target_properties(lvtext lvtext_main PROPERTIES
  INSTALL_RPATH "$ORIGIN/${to_library};${LIBTORCH}/lib")
install(TARGETS lvtext lvtext_main)

get_property(parts GLOBAL PROPERTY lvtext_parts)
foreach(part ${parts})
  get_property(folder GLOBAL PROPERTY lvtext_folder_${part})
  get_filename_component(parent ${folder} DIRECTORY)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/${folder} DESTINATION ${lvtext_include}/${parent}
          FILES_MATCHING PATTERN "*.h")
endforeach()
install(FILES ${CMAKE_BINARY_DIR}/generated/lvtext_version.h DESTINATION ${lvtext_include})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/recipes ${CMAKE_SOURCE_DIR}/data
        DESTINATION ${lvtext_share})

configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/lvtextConfig.cmake.in
  ${CMAKE_BINARY_DIR}/generated/lvtextConfig.cmake INSTALL_DESTINATION ${lvtext_package}
  PATH_VARS lvtext_include CMAKE_INSTALL_LIBDIR)
# Before 1.0 a minor version may change the interface that plug-ins compile against.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/generated/lvtextConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/generated/lvtextConfig.cmake
              ${CMAKE_BINARY_DIR}/generated/lvtextConfigVersion.cmake
              ${CMAKE_SOURCE_DIR}/cmake/libtorch.cmake
        DESTINATION ${lvtext_package})
