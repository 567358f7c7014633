#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/bytes.h"
#include "base/core/result.h"
#include "base/core/step.h"
#include "engine/data/csv_columns.h"
#include "engine/data/evaluation_batches.h"
#include "engine/data/samples.h"
#include "engine/pictures/picture.h"
#include "job/model/network.h"

namespace sumac::worker {

/// What a network was trained on. A pixel of an image becomes a number from 0 to 1; values of a
/// table are taken as they are.
enum class ModelTask : std::uint8_t { kImages, kTable, kText };

/// "images", "table" or "text".
std::string_view toString(ModelTask task);

/// All that the use of a model needs besides its tensors: the metadata of its file.
struct ModelDescription {
  std::string job;          // whose training it comes from; empty: not known
  Step steps = 0;           // of that training
  std::string numerics;     // what it was computed with: "avx512/1"
  model::NetworkSpec spec;  // of a text network with its vocabulary and time steps
  ModelTask task = ModelTask::kImages;
  int classes = 0;                       // of the data: at most the network's; not of text
  std::vector<std::string> class_names;  // of all classes, or empty
  Normalization normalization;           // of the inputs
  DecodeOptions pictures;                // how files of pictures became its inputs
  CsvColumns columns;                    // how rows of a table did; none: not of one
  std::vector<std::string> vocabulary;   // word n at index n; empty: not of text, or not kept
  // How its job evaluated it: in other batches the last digits of a loss differ.
  EvaluationBatches::Options evaluation;
};

/// A trained network: all that model.safetensors holds.
struct ModelFile : ModelDescription {
  model::Network network;         // of `spec`
  std::vector<float> weights;     // plan order
  std::vector<float> statistics;  // of the network's batchNorm layers; to compute with
};

/// The largest vocabulary that a file keeps.
inline constexpr std::size_t kMostWordsKept = 10'000;

/// The longest text of columns that a file keeps.
inline constexpr std::size_t kMostColumnsText = 32'000'000;

/// The file: all parameters under the names that PyTorch gives them (checkpoint::fileTensors) and,
/// of batchNorm layers, `statistics` as "<layer>.running_mean" and "<layer>.running_var". The
/// metadata hold the description, and a checksum of all. Requires `network` to be that of the
/// description, and as many values as it has.
Bytes encodeModelFile(const ModelDescription& description, const model::Network& network,
                      std::span<const float> weights, std::span<const float> statistics);

/// Describes the model of a file that has no description.
using Describe = std::function<Result<ModelDescription>()>;

/// The reverse. Asks `otherwise`, where it is given, about a file without a description: earlier
/// versions and other programs write such. Fails with kInvalid for a damaged file or one without
/// any description, with kUnsupported for one of a later version's format, and as `otherwise` does.
/// The message does not name the file.
Result<ModelFile> decodeModelFile(BytesView file, const Describe& otherwise = {});

/// The same of a file. Its message names it; fails as readFile() does, too.
Result<ModelFile> readModelFile(const std::filesystem::path& path, const Describe& otherwise = {});

}  // namespace sumac::worker
