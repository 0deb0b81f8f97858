# dynac_add_model(TARGET MODEL [NAME name] [OPTIONS option...])
#
# Compiles MODEL (.onnx, .pt or .pt2) at build time and links it, weights and all, into TARGET together with the runtime. The
# generated header is `<name>.h`; `name` is the file's name without extension unless given. OPTIONS go to `dynac compile`.
#
#   find_package(dynac REQUIRED)
#   add_executable(app main.cpp)
#   dynac_add_model(app resnet50.onnx OPTIONS --march x86-64-v3 --dim batch=1..64)
function(dynac_add_model target model)
  cmake_parse_arguments(ARG "" "NAME" "OPTIONS" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "dynac_add_model: unknown arguments ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  get_filename_component(model ${model} ABSOLUTE)
  if(NOT ARG_NAME)
    get_filename_component(ARG_NAME ${model} NAME_WE)
    string(MAKE_C_IDENTIFIER ${ARG_NAME} ARG_NAME)
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/dynac/${target})
  file(MAKE_DIRECTORY ${folder})
  set(object ${folder}/${ARG_NAME}.o)
  add_custom_command(OUTPUT ${object} ${folder}/${ARG_NAME}.h
    COMMAND dynac::dynac compile ${model} -o ${object} --name ${ARG_NAME} ${ARG_OPTIONS}
    DEPENDS ${model} dynac::dynac
    COMMENT "Compiling model ${ARG_NAME}"
    VERBATIM)
  target_sources(${target} PRIVATE ${object} ${folder}/${ARG_NAME}.h)
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  target_include_directories(${target} PRIVATE ${folder})
  target_link_libraries(${target} PRIVATE dynac::dynac_rt)
endfunction()
