# Runs build-model.sh three times: it builds, it finds its work done, and it refuses an answer that is wrong.
# cmake -DDYNAC=... -DMODEL=... -DWORK=... -P test.cmake
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
set(ENV{DYNAC} ${DYNAC})
get_filename_component(here ${CMAKE_CURRENT_LIST_FILE} DIRECTORY)

# An array as .npy without numpy: the header says float32 and the shape, padded to 64 bytes in all.
function(write_npy file shape bytes)
  execute_process(COMMAND printf "\\x93NUMPY\\x01\\x00\\x76\\x00%-117s\\n${bytes}"
    "{'descr': '<f4', 'fortran_order': False, 'shape': ${shape}, }" OUTPUT_FILE ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
set(zero "\\x00\\x00\\x00\\x00")
set(one "\\x00\\x00\\x80\\x3f")
write_npy(${WORK}/x.npy "(2, 2)" "${zero}${one}${one}${one}")
write_npy(${WORK}/y.npy "(2, 1)" "${one}${zero}")
write_npy(${WORK}/wrong.npy "(2, 1)" "${one}${one}")

function(step expected_status expected_text answer)
  execute_process(COMMAND ${here}/build-model.sh ${MODEL} ${WORK}/xor.so ${WORK}/x.npy ${WORK}/${answer}
    RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT status EQUAL expected_status OR NOT out MATCHES "${expected_text}")
    message(FATAL_ERROR "exit status ${status} instead of ${expected_status}:\n${out}")
  endif()
endfunction()
step(0 "" y.npy)
step(0 "up to date" y.npy)
file(REMOVE ${WORK}/xor.so.key)
step(1 "" wrong.npy)
