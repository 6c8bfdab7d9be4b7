# Ranks over MPI. AUTO: built where an MPI library is found. Which one, where there are several, says
# MPI_C_COMPILER (such as mpicc.mpich) or MPI_HOME, as for any project that asks FindMPI.
set(CISOLVE_MPI "AUTO" CACHE STRING "Build for many ranks: ON, OFF, or AUTO, where MPI is found")
set_property(CACHE CISOLVE_MPI PROPERTY STRINGS AUTO ON OFF)
set(CISOLVE_WITH_MPI NO)
if(CISOLVE_MPI)  # AUTO is no false value
  enable_language(C)
  find_package(MPI QUIET COMPONENTS C)
  if(MPI_C_FOUND)
    set(CISOLVE_WITH_MPI YES)
  elseif(NOT CISOLVE_MPI STREQUAL "AUTO")
    message(FATAL_ERROR "MPI is missing: install libopenmpi-dev or libmpich-dev, as Debian and Ubuntu call them")
  endif()
endif()
message(STATUS "ci-solve for many ranks (MPI): ${CISOLVE_WITH_MPI}")
