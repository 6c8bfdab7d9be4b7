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

# No setting of this build may reach a user's.
file(READ ${build}/build.ninja commands)
foreach(flag -march= -fsanitize -Wconversion -Werror)
  if(commands MATCHES "${flag}")
    message(FATAL_ERROR "the installed package passes ${flag} on to its users")
  endif()
endforeach()
