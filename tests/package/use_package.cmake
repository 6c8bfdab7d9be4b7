# Installs into an empty prefix, then configures, builds and runs the examples against it, in a project
# that has a folder base/ of its own; asks for components with HDF5 hidden.
cmake_minimum_required(VERSION 3.25)
set(prefix ${SCRATCH}/prefix)
set(build ${SCRATCH}/build)
file(REMOVE_RECURSE ${prefix} ${build} ${SCRATCH}/components)

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix} --config ${CONFIG})

# Few headers, all of them under a prefix that is ours.
file(GLOB_RECURSE headers RELATIVE ${prefix}/include ${prefix}/include/*)
list(LENGTH headers count)
list(FILTER headers EXCLUDE REGEX "^cisolve/")
if(headers OR count GREATER 60)
  message(FATAL_ERROR "${count} headers are installed; expected at most 60, all in include/cisolve: ${headers}")
endif()
message(STATUS "${count} headers are installed")

run(${CMAKE_COMMAND} -S ${HERE}/consumer -B ${build} -G Ninja -DCMAKE_BUILD_TYPE=${CONFIG}
    -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${COMPILER} -DEXAMPLES=${SOURCE}/examples)
run(${CMAKE_COMMAND} --build ${build})

# expect(OUTPUT PROGRAM ARGUMENT ...): what a program prints, as a regular expression; no file is made.
set(folder ${SCRATCH}/empty)
file(REMOVE_RECURSE ${folder})
file(MAKE_DIRECTORY ${folder})
function(expect output program)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env OMP_WAIT_POLICY=passive ${build}/${program} ${ARGN}
                  WORKING_DIRECTORY ${folder} OUTPUT_VARIABLE found
                  COMMAND_ERROR_IS_FATAL ANY)
  if(NOT found MATCHES "^${output}$")
    message(FATAL_ERROR "${program} of the installed library printed\n${found}expected\n${output}")
  endif()
  file(GLOB touched ${folder}/*)
  if(touched)
    message(FATAL_ERROR "${program} of the installed library has made: ${touched}")
  endif()
endfunction()

expect("[0-9.]+ reference 42\n" consumer)
expect("0\\.49999\n1\\.49994\n2\\.49984\nverified\n" examples/own_operator)
expect("sell: 2998 non-zeros in [0-9]+ bytes\n1 0 -2\n" examples/sparse_product)
expect("csr: 2998 non-zeros in [0-9]+ bytes\n1 0 -2\n" examples/sparse_product csr)
expect("1824 determinants\n-107\\.455156\n-107\\.429748\nverified\n"
       examples/fcidump_fci ${SOURCE}/configs/n2_stretched.fcidump 2)
# -2 - sqrt(8) + 4, 0 and 4
expect("-0\\.828427\n(-?[0-9.]+e-[0-9]+|-?0)\n4\n" examples/job)
set(occupations "2.0000 1.9898 1.9836 1.9759 1.9729 0.0238 0.0226 0.0154 0.0106 0.0027 0.0019 0.0005 0.0003")
expect("natural occupations ${occupations}\n<S\\^2> 0.0000\n2222200000000 0.9606\n2222000020000 0.0025\n10.0000 electrons in 13 orbitals\n"
       examples/densities ${SOURCE}/configs/h2o.fcidump)

# No setting of this build may reach a user's.
file(READ ${build}/build.ninja commands)
foreach(flag -march= -fsanitize -Wconversion -Werror EIGEN_)
  if(commands MATCHES "${flag}")
    message(FATAL_ERROR "the installed package passes ${flag} on to its users")
  endif()
endforeach()

# components(RESULT [ARGUMENT ...]): configures a project that asks for some.
function(components wanted)
  file(REMOVE_RECURSE ${SCRATCH}/components)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${HERE}/components -B ${SCRATCH}/components -G Ninja
      -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${COMPILER}
      -DCMAKE_DISABLE_FIND_PACKAGE_HDF5=ON -DCMAKE_DISABLE_FIND_PACKAGE_OpenSSL=ON ${ARGN}
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE error)
  string(REGEX REPLACE "[ \n]+" " " said "${output}${error}")
  if(wanted STREQUAL "" AND NOT result EQUAL 0)
    message(FATAL_ERROR "components ${ARGN}:\n${output}${error}")
  elseif(NOT wanted STREQUAL "" AND (result EQUAL 0 OR NOT said MATCHES "${wanted}"))
    message(FATAL_ERROR "components ${ARGN}: expected to hear\n${wanted}\nheard\n${said}")
  endif()
endfunction()
components("" -DASKED=base -DTHERE=base "-DABSENT=sparse io job")
run(${CMAKE_COMMAND} --build ${SCRATCH}/components)
run(${SCRATCH}/components/user)
components("" "-DASKED=sparse solver ci" "-DTHERE=base sparse solver ci ci_oracle" "-DABSENT=io job")
components("cisolve has no component sparce: its components are base sparse solver" "-DASKED=base sparce")
if(SHARED)  # libraries that have linked HDF5 themselves
  components("" -DASKED=job "-DTHERE=base io job")
  return()
endif()
components("" "-DASKED=base OPTIONAL_COMPONENTS io" -DTHERE=base -DABSENT=io)
components("the component job of cisolve needs HDF5 and OpenSSL, not found here" -DASKED=job)
components("the component io of cisolve needs HDF5 and OpenSSL, not found here" -DASKED=)
