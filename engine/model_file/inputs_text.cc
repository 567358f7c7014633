#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "engine/data/csv.h"
#include "engine/model_file/metadata_json.h"

namespace sumac::worker {
namespace {

using nlohmann::json;

json picturesJson(const DecodeOptions& pictures) {
  json node = json::object();
  if (pictures.channels > 0) node["channels"] = pictures.channels;
  if (const auto& resize = pictures.resize) node["resize"] = {resize->height, resize->width};
  return node;
}

json columnsJson(const CsvColumns& columns) {
  json list = json::array();
  for (const CsvColumn& column : columns.columns) {
    json node{{"name", nameJson(column.name)}};
    if (column.kind == CsvKind::kCategorical) node["categories"] = namesJson(column.categories);
    list.push_back(std::move(node));
  }
  return {{"label", nameJson(columns.label)}, {"columns", std::move(list)}};
}

/// 0 unless it is the side of a picture.
int sideIn(const json& node) {
  constexpr std::uint64_t kMostSide = 65'535;
  if (!node.is_number_unsigned() || node.get<std::uint64_t>() > kMostSide) return 0;
  return node.get<int>();
}

std::optional<DecodeOptions> picturesIn(const json& node) {
  if (!node.is_object()) return std::nullopt;
  DecodeOptions pictures;
  if (node.contains("channels")) {
    if (node["channels"] != 1 && node["channels"] != 3) return std::nullopt;
    pictures.channels = node["channels"].get<int>();
  }
  if (node.contains("resize")) {
    const json& resize = node["resize"];
    if (!resize.is_array() || resize.size() != 2) return std::nullopt;
    pictures.resize = PictureSize{sideIn(resize[0]), sideIn(resize[1])};
    if (pictures.resize->height == 0 || pictures.resize->width == 0) return std::nullopt;
  }
  return pictures;
}

std::optional<CsvColumn> columnIn(const json& node) {
  if (!node.is_object() || !node.contains("name")) return std::nullopt;
  auto name = nameIn(node["name"]);
  if (!name) return std::nullopt;
  CsvColumn column{.name = std::move(*name)};
  if (!node.contains("categories")) return column;
  if (node["categories"].size() > kMaxCategories) return std::nullopt;
  auto categories = namesIn(node["categories"]);
  if (!categories || categories->empty()) return std::nullopt;
  // Looked up by halving.
  if (std::ranges::adjacent_find(*categories, std::greater_equal()) != categories->end())
    return std::nullopt;
  column.kind = CsvKind::kCategorical;
  column.categories = std::move(*categories);
  return column;
}

std::optional<CsvColumns> columnsIn(const json& node) {
  if (!node.is_object() || !node.contains("label") || !node.contains("columns"))
    return std::nullopt;
  auto label = nameIn(node["label"]);
  const json& list = node["columns"];
  if (!label || !list.is_array() || list.empty() || list.size() > kMaxCsvColumns)
    return std::nullopt;
  CsvColumns columns{.label = std::move(*label), .columns = {}};
  for (const json& one : list) {
    auto column = columnIn(one);
    if (!column) return std::nullopt;
    columns.columns.push_back(std::move(*column));
  }
  return columns;
}

}  // namespace

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
