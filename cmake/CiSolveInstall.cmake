# Installs the rooms as components of the package `cisolve`, and the program. A user's build finds the
# dependencies of a room again: each new one needs its line in cisolveConfig.cmake.in.
# What is installed is divided into `program`, `library` (shared libraries only), `development` and
# `python`; CiSolvePackage.cmake makes a Debian package of each but the last.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cisolve)
get_property(rooms GLOBAL PROPERTY CISOLVE_ROOMS)
list(REMOVE_ITEM rooms cisolve_app)  # for the program only
list(TRANSFORM rooms REPLACE "^cisolve_" "" OUTPUT_VARIABLE CISOLVE_ROOM_NAMES)

# One file a room, so that a component brings only what it needs.
set(CISOLVE_ROOM_NEEDS "")
foreach(room IN LISTS CISOLVE_ROOM_NAMES)
  install(TARGETS cisolve_${room} EXPORT cisolve_${room}_targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development)
  install(EXPORT cisolve_${room}_targets NAMESPACE cisolve:: DESTINATION ${package_dir}
          COMPONENT development)
  get_property(needs GLOBAL PROPERTY CISOLVE_NEEDS_${room})
  list(JOIN needs " " needs)
  string(APPEND CISOLVE_ROOM_NEEDS "set(cisolve_NEEDS_${room} ${needs})\n")
endforeach()
set(CISOLVE_SHARED OFF)
if(BUILD_SHARED_LIBS)
  set(CISOLVE_SHARED ON)
endif()
install(DIRECTORY ${CISOLVE_PUBLIC_INCLUDE}/cisolve DESTINATION include COMPONENT development)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/cisolveConfig.cmake.in
  ${PROJECT_BINARY_DIR}/cisolveConfig.cmake INSTALL_DESTINATION ${package_dir}
  NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cisolveConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cisolveConfig.cmake
              ${PROJECT_BINARY_DIR}/cisolveConfigVersion.cmake DESTINATION ${package_dir} COMPONENT development)

if(TARGET ci-solve)
  if(BUILD_SHARED_LIBS)
    file(RELATIVE_PATH libraries /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
    set_target_properties(ci-solve PROPERTIES
      INSTALL_RPATH $ORIGIN/${libraries} INSTALL_RPATH_USE_LINK_PATH ON)
  endif()
  install(TARGETS ci-solve RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
  # The manual page and the shell completions, written by the program itself.
  set(written ${PROJECT_BINARY_DIR}/share)
  file(MAKE_DIRECTORY ${written})
  add_custom_command(OUTPUT ${written}/ci-solve.1 ${written}/ci-solve ${written}/_ci-solve
    COMMAND ci-solve manual --force --output ${written}/ci-solve.1
    COMMAND ci-solve completion bash --force --output ${written}/ci-solve
    COMMAND ci-solve completion zsh --force --output ${written}/_ci-solve
    DEPENDS ci-solve VERBATIM)
  add_custom_target(ci-solve-documents ALL DEPENDS ${written}/ci-solve.1)
  install(FILES ${written}/ci-solve.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
  install(FILES ${written}/ci-solve
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
  install(FILES ${written}/_ci-solve DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT program)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
include(CiSolvePackage)
