# Finds what dynac builds with. The runtime needs none of it.

find_package(Threads REQUIRED)

# ccache where there is one; the precompiled header needs the sloppiness.
find_program(DYNAC_CCACHE ccache)
if(DYNAC_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${DYNAC_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

# Python runs lint and end-to-end tests only: tools/install-deps.sh makes the one with onnx and onnxruntime.
find_program(DYNAC_PYTHON NAMES python3 HINTS ${PROJECT_BINARY_DIR}/.venv/bin DOC "Python of the tests")

if(DYNAC_SANITIZE)
  add_compile_options(-fsanitize=${DYNAC_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${DYNAC_SANITIZE})
endif()

# Readers use LLVM's support library (Expected, MemoryBuffer) but never MLIR.
find_package(LLVM 19.1 REQUIRED CONFIG HINTS /usr/lib/llvm-19)
if(DYNAC_BUILD_COMPILER)
  find_package(MLIR REQUIRED CONFIG HINTS /usr/lib/llvm-19)
  list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
  include(TableGen)
  include(AddLLVM)
  include(AddMLIR)
  find_package(CLI11 REQUIRED CONFIG)
  find_package(spdlog REQUIRED CONFIG)
endif()

find_package(Protobuf 3.21 REQUIRED)
