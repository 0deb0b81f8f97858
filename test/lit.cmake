# The IR tests as one ctest test. Debian ships no llvm-lit but the script itself, in llvm-19-tools.
find_program(DYNAC_LIT NAMES lit.py llvm-lit lit HINTS ${LLVM_TOOLS_BINARY_DIR}/../build/utils/lit
  DOC "LLVM's test runner")
configure_file(lit.site.cfg.py.in lit.site.cfg.py @ONLY)
if(DYNAC_LIT)
  add_test(NAME lit COMMAND ${DYNAC_PYTHON} ${DYNAC_LIT} -sv ${CMAKE_CURRENT_BINARY_DIR})
else()
  message(WARNING "no lit.py (package llvm-19-tools): the IR tests are left out")
endif()
