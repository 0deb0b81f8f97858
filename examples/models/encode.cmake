# An ONNX model from its text: cmake -DPROTOC=... -DPROTO=onnx-ml.proto -DTEXT=... -DOUT=... -P encode.cmake
get_filename_component(folder ${PROTO} DIRECTORY)
execute_process(COMMAND ${PROTOC} --encode=onnx.ModelProto --proto_path=${folder} ${PROTO}
  INPUT_FILE ${TEXT} OUTPUT_FILE ${OUT} COMMAND_ERROR_IS_FATAL ANY)
