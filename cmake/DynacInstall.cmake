# Install rules, the CMake package for users and CPack. Two components: `runtime` (what a machine needs that runs models)
# and `compiler` (everything else).
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/dynac)

install(TARGETS dynac_rt dynac_rt_shared EXPORT dynacTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT compiler
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT compiler)
install(DIRECTORY include/dynac/Runtime DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/dynac COMPONENT compiler
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
install(FILES LICENSE THIRD_PARTY_NOTICES DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)

if(TARGET dynac)
  # Debian keeps libMLIR in LLVM's own folder.
  set_target_properties(dynac PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS dynac EXPORT dynacTargets RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT compiler)
  # The schema's licence wants its notice along.
  get_filename_component(schema_dir "${DYNAC_ONNX_PROTO}" DIRECTORY)
  if(EXISTS ${schema_dir}/NOTICE)
    install(FILES ${schema_dir}/LICENSE ${schema_dir}/NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR}/onnx COMPONENT compiler)
  endif()
endif()

# The examples as sources, and built: a first model to compile without a compiler of C++.
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT compiler PATTERN test.cmake EXCLUDE)
if(TARGET resnet50)
  install(TARGETS resnet50 resnet50-make-model RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/dynac/examples COMPONENT compiler)
endif()

install(EXPORT dynacTargets NAMESPACE dynac:: DESTINATION ${package_dir} COMPONENT compiler)
configure_package_config_file(cmake/dynacConfig.cmake.in ${PROJECT_BINARY_DIR}/package/dynacConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/dynacConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/dynacConfig.cmake ${PROJECT_BINARY_DIR}/package/dynacConfigVersion.cmake
  cmake/DynacAddModel.cmake DESTINATION ${package_dir} COMPONENT compiler)

set(CPACK_PACKAGE_VENDOR "dynac developers")
set(CPACK_PACKAGE_CONTACT "dynac developers <dynac@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_INSTALL_DIRECTORY dynac)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR TGZ DEB)
set(CPACK_ARCHIVE_COMPONENT_INSTALL OFF)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL runtime compiler)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libdynac-rt0)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_COMPILER_PACKAGE_NAME dynac)
set(CPACK_DEBIAN_COMPILER_PACKAGE_SECTION devel)
# `dynac compile -o model.so` runs a linker.
set(CPACK_DEBIAN_COMPILER_PACKAGE_DEPENDS "libdynac-rt0 (= ${PROJECT_VERSION}), lld-19 | lld | binutils")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
include(CPack)
