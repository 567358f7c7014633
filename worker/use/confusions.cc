#include "worker/use/confusions.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/core/units.h"

namespace sumac::worker {
namespace {

using Json = nlohmann::ordered_json;

std::string percentText(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return "";
  return fixedText(100 * static_cast<double>(part) / static_cast<double>(whole), 1);
}

}  // namespace

std::string nameOfClass(const std::vector<std::string>& names, int number) {
  const auto at = static_cast<std::size_t>(number);
  return at < names.size() ? names[at] : std::to_string(number);
}

int largestOf(const float* values, std::size_t count) {
  return static_cast<int>(std::max_element(values, values + count) - values);
}

void Confusions::add(int label, int predicted) {
  ++counts_[{label, predicted}];
  // A network may have more outputs than the data have classes.
  classes_ = std::max(classes_, predicted + 1);
}

std::int64_t Confusions::of(int label, int predicted) const {
  const auto found = counts_.find({label, predicted});
  return found == counts_.end() ? 0 : found->second;
}

std::vector<Confusions::Mistake> Confusions::mistakes() const {
  std::vector<Mistake> all;
  for (const auto& [pair, count] : counts_)
    if (pair.first != pair.second) all.push_back({pair.first, pair.second, count});
  std::ranges::stable_sort(all, std::ranges::greater(), &Mistake::count);
  all.resize(std::min(all.size(), kMostListed));
  return all;
}

std::string Confusions::wholeTable() const {
  std::vector<std::string> header{"CLASS"};
  std::vector<std::vector<std::string>> rows;
  if (!names_.empty()) header.emplace_back("NAME");
  for (int predicted = 0; predicted < classes_; ++predicted)
    header.push_back(std::to_string(predicted));
  header.emplace_back("RIGHT(%)");
  for (int label = 0; label < classes_; ++label) {
    std::vector<std::string> row{std::to_string(label)};
    if (!names_.empty()) row.push_back(nameOfClass(names_, label));
    std::int64_t sum = 0;
    for (int predicted = 0; predicted < classes_; ++predicted) {
      const std::int64_t count = of(label, predicted);
      row.push_back(count == 0 ? "." : std::to_string(count));
      sum += count;
    }
    row.push_back(percentText(of(label, label), sum));
    rows.push_back(std::move(row));
  }
  return "A row has the samples of a class, a column what they were taken for.\n" +
         report::tableText(header, rows, {});
}

std::string Confusions::text(const report::TextStyle& style) const {
  if (classes_ <= kMostShown) {
    std::string whole = wholeTable();
    if (style.columns == 0 || report::widest(whole) <= style.columns) return whole;
  }
  std::vector<std::vector<std::string>> rows;
  for (const auto& [label, predicted, count] : mistakes()) {
    rows.push_back(
        {nameOfClass(names_, label), nameOfClass(names_, predicted), std::to_string(count)});
  }
  return "The commonest mistakes:\n" +
         report::tableText({"CLASS", "TAKEN-FOR", "SAMPLES"}, rows, style);
}

void Confusions::putInto(Json& json) const {
  if (!names_.empty()) json["classNames"] = names_;
  if (classes_ > kMostShown) {
    json["commonest"] = Json::array();
    for (const auto& [label, predicted, count] : mistakes())
      json["commonest"].push_back({{"label", label}, {"predicted", predicted}, {"samples", count}});
    return;
  }
  json["counts"] = Json::array();
  for (int label = 0; label < classes_; ++label) {
    Json row = Json::array();
    for (int predicted = 0; predicted < classes_; ++predicted)
      row.push_back(of(label, predicted));
    json["counts"].push_back(std::move(row));
  }
}

}  // namespace sumac::worker
