# cpack: Debian packages of the components program, library and development. scripts/package builds,
# packs and tries them.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME ci-solve)
set(CPACK_PACKAGE_VENDOR "The ci-solve developers")
set(CPACK_PACKAGE_CONTACT "The ci-solve developers")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "lowest eigenstates of configuration-interaction Hamiltonians")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(version ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(text "ci-solve computes the lowest eigenstates of configuration-interaction
Hamiltonians, from integrals, a lattice model or a sparse matrix, and verifies
them through a second, independent operator.")
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL program development)
if(BUILD_SHARED_LIBS)
  list(APPEND CPACK_COMPONENTS_ALL library)
  set(CPACK_COMPONENT_PROGRAM_DEPENDS library)
  set(CPACK_COMPONENT_DEVELOPMENT_DEPENDS library)
  # dpkg-shlibdeps finds ours where they are built.
  get_property(rooms GLOBAL PROPERTY CISOLVE_ROOMS)
  foreach(room IN LISTS rooms)
    get_target_property(folder ${room} BINARY_DIR)
    list(APPEND CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${folder})
  endforeach()
endif()
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "${text}")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME ci-solve)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS gnuplot-nox)

set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "${text}\nThis package holds the shared libraries.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libcisolve${version})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY =)

set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "${text}\nThis package holds the headers and the CMake package cisolve.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libcisolve-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS cmake)
if(NOT BUILD_SHARED_LIBS)  # those who link static libraries need theirs
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libhdf5-dev, zlib1g-dev, libssl-dev")
  if(CISOLVE_WITH_MPI)
    string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", libopenmpi-dev | libmpich-dev")
  endif()
endif()
if(CISOLVE_WITH_MPI)
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "openmpi-bin | mpich")
endif()

# Each package needs a copyright of its own, where Debian expects it.
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  install(FILES ${PROJECT_SOURCE_DIR}/packaging/debian/copyright
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME} COMPONENT ${component})
endforeach()

include(CPack)
