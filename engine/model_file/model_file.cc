#include "engine/model_file/model_file.h"

#include <limits>
#include <utility>

#include "base/core/check.h"
#include "base/core/crc32c.h"
#include "base/core/file.h"
#include "engine/checkpoint/file_tensors.h"
#include "engine/checkpoint/safetensors.h"
#include "engine/model_file/description_text.h"
#include "engine/model_file/metadata_json.h"

namespace sumac::worker {
namespace {

constexpr const char* kChecksum = "checksum";

Error invalidModel(const std::string& what) {
  return Error{ErrorCode::kInvalid, what};
}

/// Of a file that is not whole.
Error damagedModel(const std::string& what) {
  return invalidModel(what + kAnotherCopy);
}

/// The tensors of the network's file, then its statistics.
model::Network tensorsOf(const model::Network& network) {
  model::Network file = checkpoint::fileTensors(network);
  for (const model::Layer& layer : network.layers) {
    for (const char* name : {".running_mean", ".running_var"}) {
      if (layer.statistics.count == 0) break;
      model::Tensor tensor;
      tensor.name = layer.spec.name + name;
      tensor.shape = {layer.statistics.count / 2};
      tensor.offset = file.parameters;
      file.parameters += tensor.count();
      file.tensors.push_back(std::move(tensor));
    }
  }
  return file;
}

/// Of the metadata but for itself, and of all values.
std::string checksumOf(const Metadata& metadata, std::span<const float> values) {
  std::uint32_t crc = 0;
  for (const auto& [name, text] : metadata) {
    if (name != kChecksum) crc = crc32c(asBytes(name + "=" + text + "\n"), crc);
  }
  return std::to_string(crc32c(std::as_bytes(values), crc));
}

/// Whether pictures and rows become what the network takes.
Result<void> checkInputs(const ModelDescription& description, const model::Network& network) {
  const auto& [channels, resize, unused] = description.pictures;
  const model::Shape& input = network.input;
  const bool are_pictures = description.task == ModelTask::kImages && input.size() == 3;
  const bool fit =
      (channels == 0 || (are_pictures && channels == input[0])) &&
      (!resize || (are_pictures && resize->height == input[1] && resize->width == input[2]));
  if (!fit) return damagedModel("its description is damaged: its pictures are not of its input");
  const CsvColumns& columns = description.columns;
  if (columns.columns.empty()) return {};
  const bool is_table = description.task == ModelTask::kTable && input.size() == 1;
  if (is_table && static_cast<std::int64_t>(columns.features()) == input[0]) return {};
  return damagedModel("its description is damaged: its columns are not of its input");
}

/// Whether a description fits its network.
Result<void> checkFit(const ModelDescription& description, const model::Network& network) {
  if ((description.task == ModelTask::kText) != network.isText())
    return damagedModel("its description is damaged: its task is not what its network is for");
  if (description.classes > network.classes) {
    return damagedModel("its description is damaged: it has " +
                        std::to_string(description.classes) + " classes, its network tells " +
                        std::to_string(network.classes) + " apart");
  }
  if (network.isText() && std::ssize(description.vocabulary) > network.vocabulary())
    return damagedModel("its description is damaged: it has more words than its network knows");
  const auto channels = std::ssize(description.normalization.mean);
  if (channels > 0 && model::count(network.input) % channels != 0)
    return damagedModel("its description is damaged: its normalization is not of its input");
  return checkInputs(description, network);
}

Result<ModelDescription> describedBy(const Metadata& metadata, const Describe& otherwise) {
  if (hasDescription(metadata)) return descriptionIn(metadata);
  if (otherwise) return otherwise();
  return invalidModel(
      "it does not describe its network: an earlier version of Sumac, or another program, wrote "
      "it; give `sumac evaluate` or `sumac predict` the job that trained it with --network "
      "job.yaml, "
      "or train it again to export it");
}

}  // namespace

Bytes encodeModelFile(const ModelDescription& description, const model::Network& network,
                      std::span<const float> weights, std::span<const float> statistics) {
  std::vector<float> values = checkpoint::toFile(network, weights);
  values.insert(values.end(), statistics.begin(), statistics.end());
  Metadata metadata = metadataOf(description);
  metadata[kChecksum] = checksumOf(metadata, values);
  return checkpoint::encodeSafetensors(tensorsOf(network), values, metadata);
}

Result<ModelFile> decodeModelFile(BytesView file, const Describe& otherwise) {
  const auto metadata = checkpoint::metadataOf(file);
  if (!metadata) return damagedModel(metadata.error().message);
  auto description = describedBy(*metadata, otherwise);
  if (!description) return description.error();
  auto network = model::resolve(description->spec);
  if (!network) return invalidModel("its network: " + network.error().message);
  if (auto fits = checkFit(*description, *network); !fits) return fits.error();
  auto tensors = checkpoint::decodeSafetensors(tensorsOf(*network), file);
  if (!tensors) return damagedModel(tensors.error().message);
  const auto checksum = metadata->find(kChecksum);
  if (checksum != metadata->end() && checksum->second != checksumOf(*metadata, tensors->values)) {
    return invalidModel(
        "its checksum is not that of its content: it is damaged, or was changed; take another "
        "copy (who changes it on purpose leaves the metadata \"checksum\" out)");
  }
  ModelFile model{{*std::move(description)}, *std::move(network), {}, {}};
  const auto values = std::span<const float>(tensors->values);
  const auto statistics = static_cast<std::size_t>(model.network.statistics);
  model.weights = checkpoint::fromFile(model.network, values.first(values.size() - statistics));
  model.statistics.assign(values.end() - static_cast<std::ptrdiff_t>(statistics), values.end());
  return model;
}

Result<ModelFile> readModelFile(const std::filesystem::path& path, const Describe& otherwise) {
  const auto file = readFile(path, std::numeric_limits<std::int64_t>::max());
  if (!file) return file.error();
  auto model = decodeModelFile(*file, otherwise);
  if (!model) return model.error().within("cannot use the model " + path.string());
  return model;
}

}  // namespace sumac::worker
