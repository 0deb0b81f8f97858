//===- MakeModel.cpp - writes ResNet-50 as an ONNX file -------------------===//
//
// Part of dynac, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The graph of torchvision's resnet50 as an exporter writes it (He et al. 2015, with the stride in
// the 3x3 convolution): 53 convolutions, 53 batch normalisations, one dense layer, the batch size
// left open. Weights are random and always the same.
//
//===----------------------------------------------------------------------===//

#include "OnnxWriter.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

namespace {

/// SplitMix64: element i of a weight depends on its name and on i only, not on what was written
/// before it.
uint64_t randomBits(uint64_t seed, uint64_t index) {
  uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// FNV-1a.
uint64_t hash(const std::string &text) {
  uint64_t result = 0xcbf29ce484222325u;
  for (unsigned char c : text)
    result = (result ^ c) * 0x100000001b3u;
  return result;
}

class ResNet {
public:
  /// `width` is the number of channels after the first convolution; ResNet-50 has 64.
  explicit ResNet(int64_t width) {
    model.input("input", {3, 224, 224});
    std::string x = relu(convolution("input", "conv1", 3, width, 7, 2));
    model.node("MaxPool", {x}, "maxpool", window(3, 2));
    x = "maxpool";
    int64_t channels = width;
    const int blocks[] = {3, 4, 6, 3};
    for (int stage = 0; stage < 4; ++stage) {
      for (int block = 0; block < blocks[stage]; ++block) {
        const std::string name = "layer" + std::to_string(stage + 1) + "." + std::to_string(block);
        x = bottleneck(x, name, channels, width << stage, stage > 0 && block == 0 ? 2 : 1);
        channels = (width << stage) * 4;
      }
    }
    model.node("GlobalAveragePool", {x}, "avgpool");
    model.node("Flatten", {"avgpool"}, "flatten", onnx_writer::Attributes().add("axis", 1));
    weight("fc.weight", {1000, channels}, std::sqrt(2.0 / double(channels)));
    weight("fc.bias", {1000}, 0.01);
    model.node("Gemm", {"flatten", "fc.weight", "fc.bias"}, "output",
               onnx_writer::Attributes().add("transB", 1));
    model.output("output", {1000});
  }

  bool write(const char *path) const {
    std::ofstream out(path, std::ios::binary);
    return model.write(out, 17);
  }

private:
  /// A square window with the padding that keeps the extent, up to the stride.
  static onnx_writer::Attributes window(int64_t kernel, int64_t stride) {
    const int64_t pad = kernel / 2;
    onnx_writer::Attributes attributes;
    attributes.add("kernel_shape", {kernel, kernel});
    attributes.add("strides", {stride, stride});
    attributes.add("pads", {pad, pad, pad, pad});
    return attributes;
  }

  /// Uniform with the given standard deviation around `mean`.
  void weight(const std::string &name, const std::vector<int64_t> &dims, double deviation,
              double mean = 0) {
    size_t count = 1;
    for (int64_t dim : dims)
      count *= size_t(dim);
    const uint64_t seed = hash(name);
    const double scale = std::sqrt(12.0) * deviation;
    std::string data(count * sizeof(float), '\0');
    for (size_t i = 0; i < count; ++i) {
      const double unit = double(randomBits(seed, i) >> 40) / double(1 << 24) - 0.5;
      const float value = float(mean + unit * scale);
      std::memcpy(&data[i * sizeof(float)], &value, sizeof(float));
    }
    model.initializer(name, dims, data);
  }

  /// Convolution without bias (He's scale keeps the variance behind a relu), then batch
  /// normalisation. `gain` scales what it adds to a residual.
  std::string convolution(const std::string &x, const std::string &name, int64_t in, int64_t out,
                          int64_t kernel, int64_t stride, double gain = 1) {
    weight(name + ".weight", {out, in, kernel, kernel},
           std::sqrt(2.0 / double(in * kernel * kernel)));
    model.node("Conv", {x, name + ".weight"}, name, window(kernel, stride));
    const std::string bn = name + ".bn";
    weight(bn + ".scale", {out}, 0.1 * gain, gain);
    weight(bn + ".bias", {out}, 0.1);
    weight(bn + ".mean", {out}, 0.1);
    weight(bn + ".variance", {out}, 0.1, 1);
    model.node("BatchNormalization",
               {name, bn + ".scale", bn + ".bias", bn + ".mean", bn + ".variance"}, bn);
    return bn;
  }

  std::string relu(const std::string &x) {
    model.node("Relu", {x}, x + ".relu");
    return x + ".relu";
  }

  /// relu(x + expand(relu(conv3x3(relu(reduce(x)))))), x projected where its shape changes.
  std::string bottleneck(const std::string &x, const std::string &name, int64_t in, int64_t inner,
                         int64_t stride) {
    std::string y = relu(convolution(x, name + ".conv1", in, inner, 1, 1));
    y = relu(convolution(y, name + ".conv2", inner, inner, 3, stride));
    y = convolution(y, name + ".conv3", inner, inner * 4, 1, 1, 0.3);
    std::string residual = x;
    if (in != inner * 4)
      residual = convolution(x, name + ".downsample", in, inner * 4, 1, stride);
    model.node("Add", {y, residual}, name + ".add");
    return relu(name + ".add");
  }

  onnx_writer::Model model{"resnet50"};
};

} // namespace

int main(int argc, char **argv) {
  const int64_t width = argc == 3 ? std::atoi(argv[2]) : 64;
  if (argc < 2 || argc > 3 || width < 1 || width > 512) {
    std::fprintf(stderr, "usage: resnet50-make-model OUT.onnx [WIDTH, 64 unless given]\n");
    return 2;
  }
  if (!ResNet(width).write(argv[1])) {
    std::fprintf(stderr, "resnet50-make-model: cannot write %s\n", argv[1]);
    return 7;
  }
  return 0;
}
