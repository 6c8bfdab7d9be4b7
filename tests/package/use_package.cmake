# Installs into an empty prefix, then configures, builds and runs the consumer against it.
set(prefix ${SCRATCH}/prefix)
set(build ${SCRATCH}/build)
file(REMOVE_RECURSE ${prefix} ${build})

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix} --config ${CONFIG})
run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${build} -G Ninja -DCMAKE_BUILD_TYPE=${CONFIG}
    -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${COMPILER})
run(${CMAKE_COMMAND} --build ${build})
run(${build}/consumer)

# A job from values to values: -2 - sqrt(8) + 4, 0 and 4, and no file is made.
set(folder ${SCRATCH}/empty)
file(REMOVE_RECURSE ${folder})
file(MAKE_DIRECTORY ${folder})
execute_process(COMMAND ${build}/job WORKING_DIRECTORY ${folder} OUTPUT_VARIABLE energies
                COMMAND_ERROR_IS_FATAL ANY)
if(NOT energies MATCHES "^-0\\.828427\n(-?[0-9.]+e-[0-9]+|-?0)\n4\n$")
  message(FATAL_ERROR "a job of the installed library found: ${energies}")
endif()
file(GLOB touched ${folder}/*)
if(touched)
  message(FATAL_ERROR "a job of the installed library has made: ${touched}")
endif()

# The README shows this very program.
file(READ ${CONSUMER}/job.cpp shown)
file(READ ${CONSUMER}/../../../README.md readme)
string(FIND "${readme}" "${shown}" place)
if(place EQUAL -1)
  message(FATAL_ERROR "README.md does not show tests/package/consumer/job.cpp as it is")
endif()

# No setting of this build may reach a user's.
file(READ ${build}/build.ninja commands)
foreach(flag -march= -fsanitize -Wconversion -Werror)
  if(commands MATCHES "${flag}")
    message(FATAL_ERROR "the installed package passes ${flag} on to its users")
  endif()
endforeach()
