#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "engine/data/inputs_json.h"
#include "engine/model_file/metadata_json.h"

namespace sumac::worker {

using nlohmann::json;

void putInputs(const ModelDescription& description, Metadata& metadata) {
  if (const json pictures = picturesJson(description.pictures); !pictures.empty())
    metadata["pictures"] = pictures.dump();
  if (description.columns.columns.empty()) return;
  std::string columns = columnsJson(description.columns).dump();
  if (columns.size() <= kMostColumnsText) metadata["columns"] = std::move(columns);
}

Result<void> readInputs(const Metadata& metadata, ModelDescription& description) {
  if (metadata.contains("pictures")) {
    const auto pictures = picturesIn(jsonOf(metadata, "pictures"));
    if (!pictures) {
      return wrongMetadata("pictures",
                           "must be {channels, resize}: 1 or 3, and a list of height and width");
    }
    description.pictures = *pictures;
  }
  if (metadata.contains("columns")) {
    auto columns = columnsIn(jsonOf(metadata, "columns"));
    if (!columns) {
      return wrongMetadata("columns",
                           "must be {label, columns}, a list of {name} or {name, categories}, "
                           "categories sorted by their bytes");
    }
    description.columns = std::move(*columns);
  }
  return {};
}

}  // namespace sumac::worker
