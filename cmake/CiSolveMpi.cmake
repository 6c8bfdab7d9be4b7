# Ranks over MPI. AUTO: built if an MPI library is found. To choose among several, set
# MPI_C_COMPILER (such as mpicc.mpich) or MPI_HOME, as for any project that uses FindMPI.
set(CISOLVE_MPI "AUTO" CACHE STRING "Build for many ranks: ON, OFF, or AUTO, where MPI is found")
set_property(CACHE CISOLVE_MPI PROPERTY STRINGS AUTO ON OFF)
set(CISOLVE_WITH_MPI NO)
if(CISOLVE_MPI)  # AUTO is not false
  enable_language(C)
  find_package(MPI QUIET COMPONENTS C)
  if(MPI_C_FOUND)
    set(CISOLVE_WITH_MPI YES)
  elseif(NOT CISOLVE_MPI STREQUAL "AUTO")
    message(FATAL_ERROR "MPI is missing: install libopenmpi-dev or libmpich-dev, as Debian and Ubuntu call them")
  endif()
endif()
message(STATUS "ci-solve for many ranks (MPI): ${CISOLVE_WITH_MPI}")

# NCCL moves vectors between devices. Its header is needed to build; the library is loaded when
# several ranks have devices. Without it a GPU-aware MPI moves them, or host memory. NCCL can split
# communicators since 2.18.
set(CISOLVE_WITH_NCCL NO)
if(CISOLVE_WITH_MPI AND CISOLVE_WITH_CUDA)
  find_path(CISOLVE_NCCL_INCLUDE nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
  if(CISOLVE_NCCL_INCLUDE)
    file(STRINGS ${CISOLVE_NCCL_INCLUDE}/nccl.h lines REGEX "^#define NCCL_(MAJOR|MINOR) +[0-9]+")
    string(REGEX REPLACE "[^0-9;]" "" version "${lines}")
    string(REPLACE ";" "." version "${version}")
    if(version VERSION_GREATER_EQUAL 2.18)
      set(CISOLVE_WITH_NCCL YES)
    endif()
  endif()
  message(STATUS "ci-solve from device to device (NCCL): ${CISOLVE_WITH_NCCL}")
endif()
