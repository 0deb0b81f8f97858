# Installs dynac, then builds and runs the example against that, as a user would.
# cmake -DBUILD=<build folder> -DMODEL=... -DWORK=... -DGENERATOR=... -DCXX=... -P test.cmake
get_filename_component(here ${CMAKE_CURRENT_LIST_FILE} DIRECTORY)
file(REMOVE_RECURSE ${WORK})
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -S ${here} -B ${WORK}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${CXX}
  -DCMAKE_PREFIX_PATH=${WORK}/prefix -DMODEL=${MODEL})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/app)
