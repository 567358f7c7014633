#include "engine/data/inputs_json.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include <nlohmann/json.hpp>

#include "engine/data/csv.h"

namespace sumac::worker {

using nlohmann::json;

namespace {

/// 0 unless it is the side of a picture.
int sideIn(const json& node) {
  constexpr std::uint64_t kMostSide = 65'535;
  if (!node.is_number_unsigned() || node.get<std::uint64_t>() > kMostSide) return 0;
  return node.get<int>();
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

}  // namespace

json nameJson(const std::string& name) {
  json text(name);
  const std::string dumped = text.dump(-1, ' ', false, json::error_handler_t::ignore);
  if (json::parse(dumped).get_ref<const std::string&>() == name) return text;
  return json(std::vector<std::uint8_t>(name.begin(), name.end()));
}

json namesJson(const std::vector<std::string>& names) {
  json list = json::array();
  for (const std::string& name : names)
    list.push_back(nameJson(name));
  return list;
}

std::optional<std::string> nameIn(const json& node) {
  constexpr unsigned kLargestByte = 255;
  if (node.is_string() && !node.get_ref<const std::string&>().empty())
    return node.get<std::string>();
  if (!node.is_array() || node.empty()) return std::nullopt;
  std::string name;
  for (const json& byte : node) {
    if (!byte.is_number_unsigned() || byte.get<std::uint64_t>() > kLargestByte) return std::nullopt;
    name += static_cast<char>(byte.get<unsigned>());
  }
  return name;
}

std::optional<std::vector<std::string>> namesIn(const json& node) {
  constexpr std::size_t kMostNames = 10'000'000;
  if (!node.is_array() || node.size() > kMostNames) return std::nullopt;
  std::vector<std::string> names;
  for (const json& item : node) {
    auto name = nameIn(item);
    if (!name) return std::nullopt;
    names.push_back(std::move(*name));
  }
  return names;
}

json picturesJson(const DecodeOptions& pictures) {
  json node = json::object();
  if (pictures.channels > 0) node["channels"] = pictures.channels;
  if (const auto& resize = pictures.resize) node["resize"] = {resize->height, resize->width};
  return node;
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

json columnsJson(const CsvColumns& columns) {
  json list = json::array();
  for (const CsvColumn& column : columns.columns) {
    json node{{"name", nameJson(column.name)}};
    if (column.kind == CsvKind::kCategorical) node["categories"] = namesJson(column.categories);
    list.push_back(std::move(node));
  }
  return {{"label", nameJson(columns.label)}, {"columns", std::move(list)}};
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

}  // namespace sumac::worker
