# dynac_add_library(NAME SOURCES... [MLIR] [LLVM] [LINK LIBS...])
#   A static library dynac::NAME of the compiler. MLIR: it includes MLIR headers (adds include paths, the shared precompiled
#   header and links MLIR); LLVM: only LLVM's support headers.
# dynac_add_dialect(FOLDER FILE): runs mlir-tblgen on include/dynac/Dialect/FOLDER/FILE.td (ops, types, attributes, dialect).
# dynac_add_test(NAME SOURCES... [MLIR] [LINK LIBS...]): a gtest program registered with ctest.
# dynac_use_precompiled_header(NAME): flags and header of the compiler for a program; clang wants the code model of the
#   header (PIC), not a program's own (PIE).

# LLVM's and MLIR's own libraries, as one interface target each, so that `static` and shared builds differ in one place only.
add_library(dynac_llvm INTERFACE)
target_include_directories(dynac_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
target_compile_definitions(dynac_llvm INTERFACE ${LLVM_DEFINITIONS_LIST})
add_library(dynac_mlir INTERFACE)
target_link_libraries(dynac_mlir INTERFACE dynac_llvm)
if(DYNAC_STATIC_LLVM AND DYNAC_BUILD_COMPILER)
  include(DynacStaticLLVM)
else()
  target_link_libraries(dynac_llvm INTERFACE LLVM)
  if(DYNAC_BUILD_COMPILER)
    target_include_directories(dynac_mlir SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS})
    target_link_libraries(dynac_mlir INTERFACE MLIR)
  endif()
endif()
# Debian builds LLVM with RTTI and without exceptions.
set(DYNAC_COMPILER_FLAGS -fno-exceptions -Wall -Wextra -Wno-unused-parameter)

if(DYNAC_BUILD_COMPILER)
  # Upstream headers only: a change in dynac's own headers must not rebuild everything.
  file(WRITE ${CMAKE_BINARY_DIR}/pch.cpp "// the precompiled header's anchor\n")
  add_library(dynac_pch OBJECT ${CMAKE_BINARY_DIR}/pch.cpp)
  target_link_libraries(dynac_pch PRIVATE dynac_mlir)
  target_compile_options(dynac_pch PRIVATE ${DYNAC_COMPILER_FLAGS})
  target_precompile_headers(dynac_pch PRIVATE
    <string> <vector> <map> <optional> <functional> <memory>
    <mlir/IR/Builders.h> <mlir/IR/BuiltinOps.h> <mlir/IR/BuiltinTypes.h> <mlir/IR/BuiltinAttributes.h>
    <mlir/IR/Dialect.h> <mlir/IR/OpDefinition.h> <mlir/IR/OpImplementation.h> <mlir/IR/PatternMatch.h> <mlir/IR/IRMapping.h>
    <mlir/IR/Matchers.h> <mlir/IR/Verifier.h>
    <mlir/Interfaces/SideEffectInterfaces.h> <mlir/Interfaces/InferTypeOpInterface.h>
    <mlir/Dialect/Func/IR/FuncOps.h> <mlir/Dialect/Arith/IR/Arith.h> <mlir/Dialect/Math/IR/Math.h>
    <mlir/Dialect/SCF/IR/SCF.h> <mlir/Dialect/MemRef/IR/MemRef.h> <mlir/Dialect/Vector/IR/VectorOps.h>
    <mlir/Dialect/LLVMIR/LLVMDialect.h> <mlir/Pass/Pass.h> <mlir/Pass/PassManager.h>
    <mlir/Transforms/GreedyPatternRewriteDriver.h> <mlir/Support/LLVM.h>)
endif()

function(dynac_add_library name)
  cmake_parse_arguments(ARG "MLIR;LLVM" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  add_library(dynac::${name} ALIAS ${name})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)
  target_compile_options(${name} PRIVATE ${DYNAC_COMPILER_FLAGS})
  if(ARG_MLIR)
    target_link_libraries(${name} PUBLIC dynac_mlir)
    target_precompile_headers(${name} REUSE_FROM dynac_pch)
    if(TARGET ${name}IncGen) # a dialect's own library waits for no other dialect
      add_dependencies(${name} ${name}IncGen)
    elseif(TARGET DynacDialectsIncGen)
      add_dependencies(${name} DynacDialectsIncGen)
    endif()
  elseif(ARG_LLVM)
    target_link_libraries(${name} PUBLIC dynac_llvm)
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()

function(dynac_add_dialect folder file)
  set(LLVM_TARGET_DEFINITIONS ${PROJECT_SOURCE_DIR}/include/dynac/Dialect/${folder}/${file}.td)
  set(out ${PROJECT_BINARY_DIR}/include/dynac/Dialect/${folder})
  file(MAKE_DIRECTORY ${out})
  set(args -I${PROJECT_SOURCE_DIR}/include -I${MLIR_INCLUDE_DIRS} ${ARGN})
  include_directories(${PROJECT_SOURCE_DIR}/include)
  foreach(gen dialect-decls:Dialect.h.inc dialect-defs:Dialect.cpp.inc op-decls:Ops.h.inc op-defs:Ops.cpp.inc
              attrdef-decls:Attrs.h.inc attrdef-defs:Attrs.cpp.inc typedef-decls:Types.h.inc typedef-defs:Types.cpp.inc
              enum-decls:Enums.h.inc enum-defs:Enums.cpp.inc)
    string(REGEX REPLACE ":.*" "" action ${gen})
    string(REGEX REPLACE ".*:" "" suffix ${gen})
    file(RELATIVE_PATH rel ${CMAKE_CURRENT_BINARY_DIR} ${out}/${file}${suffix})
    mlir_tablegen(${rel} -gen-${action} ${args})
  endforeach()
  add_public_tablegen_target(Dynac${file}IncGen)
  if(NOT TARGET DynacDialectsIncGen)
    add_custom_target(DynacDialectsIncGen)
  endif()
  add_dependencies(DynacDialectsIncGen Dynac${file}IncGen)
endfunction()

function(dynac_add_test name)
  cmake_parse_arguments(ARG "MLIR" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest GTest::gmock GTest::gtest_main)
  if(DYNAC_SANITIZE) # what is tested is optimised; gtest's templates take three times as long to build
    target_compile_options(${name} PRIVATE -O0)
  endif()
  if(ARG_MLIR)
    target_link_libraries(${name} PRIVATE dynac_mlir)
    dynac_use_precompiled_header(${name})
  endif()
  add_test(NAME ${name} COMMAND ${name})
endfunction()

function(dynac_use_precompiled_header name)
  target_compile_options(${name} PRIVATE ${DYNAC_COMPILER_FLAGS} -fPIC)
  target_precompile_headers(${name} REUSE_FROM dynac_pch)
  add_dependencies(${name} DynacDialectsIncGen)
endfunction()
