#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/core/bytes.h"
#include "base/core/result.h"
#include "job/model/network.h"

namespace sumac::onnx {

/// What makes the network's inputs of raw values: x = value / divisor, then (x - mean) / deviation.
struct Normalization {
  float divisor = 255;
  // One a channel of an image, or one a feature of a vector; both empty: nothing more.
  std::vector<float> mean;
  std::vector<float> deviation;
};

/// A network with what it has learned.
struct TrainedNetwork {
  const model::Network& network;        // outlives us, as do:
  std::span<const float> weights;       // plan order
  std::span<const float> statistics;    // of batchNorm layers; as Network::statistics counts them
  Normalization normalization = {};     // not of text
  std::vector<std::string> names = {};  // of the classes, or the vocabulary; empty: not known
};

/// The file's form: opset 17, IR version 8; docs/models.md#onnx lists its inputs and outputs.
inline constexpr int kOpset = 17;
inline constexpr int kIrVersion = 8;

/// The name of the input that has the samples: "image", "features" or "tokens".
std::string inputName(const model::Network& network);

/// The network's forward pass as an ONNX model: normalization inside, dropout left out, batchNorm
/// by its statistics, numbers of samples and time steps left open.
///
/// A pure function. Fails with kUnsupported where the model would be longer than 2 GiB, which no
/// Protocol Buffers message may be. Requires spans and lists of the network's sizes.
Result<Bytes> exportNetwork(const TrainedNetwork& trained);

}  // namespace sumac::onnx
