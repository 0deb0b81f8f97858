# Links LLVM and MLIR statically into dynac_llvm and dynac_mlir, for a program that runs where neither is installed.
#
# Debian's static MLIR archives name the shared LLVM in their link interface. Left there, two copies of LLVM would meet in one
# process and abort on their first command-line option, so it is taken out of every MLIR target first.
llvm_map_components_to_libnames(llvm_archives
  AsmParser BitReader BitWriter Core FrontendOpenMP IRReader InterfaceStub Linker MC NVPTX Object ObjectYAML
  Option OrcJIT Passes Support Target TargetParser X86)
target_link_libraries(dynac_llvm INTERFACE ${llvm_archives})

set(mlir_archives MLIRIR MLIRParser MLIRPass MLIRTransforms MLIROptLib MLIRTargetLLVMIRExport)
foreach(kind DIALECT CONVERSION EXTENSION TRANSLATION)
  get_property(archives GLOBAL PROPERTY MLIR_${kind}_LIBS)
  list(APPEND mlir_archives ${archives})
endforeach()
list(REMOVE_DUPLICATES mlir_archives)

# Every MLIR target that these reach.
set(queue ${mlir_archives})
set(seen)
while(queue)
  list(POP_FRONT queue target)
  if(target IN_LIST seen OR NOT TARGET ${target})
    continue()
  endif()
  list(APPEND seen ${target})
  get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
  if(links)
    list(REMOVE_ITEM links LLVM)
    set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${links}")
    foreach(link ${links})
      if(link MATCHES "^MLIR")
        list(APPEND queue ${link})
      endif()
    endforeach()
  endif()
endwhile()
target_include_directories(dynac_mlir SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS})
target_link_libraries(dynac_mlir INTERFACE ${mlir_archives})
