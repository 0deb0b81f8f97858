# One configuration of the tests under a sanitizer: configure, build, test. See CMakeLists.txt.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGV}\n${output}")
  endif()
endfunction()

run(${CMAKE_COMMAND} --preset ${PRESET} -S ${SOURCE} -B ${BUILD} -G ${GENERATOR} -DCMAKE_C_COMPILER=${C}
  -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_EXE_LINKER_FLAGS=${LINKER_FLAGS} -DCMAKE_SHARED_LINKER_FLAGS=${LINKER_FLAGS}
  -DDYNAC_ONNX_PROTO=${PROTO} -DDYNAC_STRESS_ARTIFACT=${ARTIFACT} -DDYNAC_BUILD_TESTS=ON)
run(${CMAKE_COMMAND} --build ${BUILD} --target ${TESTS})
string(REPLACE ";" "|" names "${TESTS}")
string(REPLACE Stress "stress" names "${names}")
execute_process(COMMAND ${CMAKE_CTEST_COMMAND} --test-dir ${BUILD} -R "${names}" --output-on-failure --no-tests=error -j 2
  RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "tests failed under preset ${PRESET}")
endif()
