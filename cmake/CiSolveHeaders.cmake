# The public headers as users see them, #include <cisolve/...>, made in include/ of the build tree by
# write_public_headers.cmake. The target cisolve_headers makes them; each room depends on it.
set(CISOLVE_PUBLIC_INCLUDE ${PROJECT_BINARY_DIR}/include)
include(${CMAKE_CURRENT_LIST_DIR}/public_headers.cmake)
configure_file(${CMAKE_CURRENT_LIST_DIR}/version.hpp.in ${CISOLVE_PUBLIC_INCLUDE}/cisolve/version.hpp @ONLY)

list(TRANSFORM CISOLVE_PUBLIC_HEADERS PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE originals)
list(TRANSFORM CISOLVE_PUBLIC_HEADERS PREPEND ${CISOLVE_PUBLIC_INCLUDE}/cisolve/ OUTPUT_VARIABLE copies)
set(stamp ${PROJECT_BINARY_DIR}/public_headers.stamp)
add_custom_command(OUTPUT ${stamp} BYPRODUCTS ${copies} ${CISOLVE_PUBLIC_INCLUDE}/cisolve/cisolve.hpp
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DOUTPUT=${CISOLVE_PUBLIC_INCLUDE}
          -DLIST=${CMAKE_CURRENT_LIST_DIR}/public_headers.cmake
          -P ${CMAKE_CURRENT_LIST_DIR}/write_public_headers.cmake
  COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
  DEPENDS ${originals} ${CMAKE_CURRENT_LIST_DIR}/public_headers.cmake
          ${CMAKE_CURRENT_LIST_DIR}/write_public_headers.cmake
  COMMENT "Writing the public headers" VERBATIM)
add_custom_target(cisolve_headers ALL DEPENDS ${stamp})
