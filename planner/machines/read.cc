#include "planner/machines/read.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <set>
#include <utility>

#include "base/core/day.h"
#include "base/core/wall_time.h"
#include "base/yaml/scalar.h"
#include "job/document/table_document.h"
#include "planner/machines/amount.h"
#include "planner/machines/fields.h"

namespace sumac::planner {
namespace {

using yaml::Node;

/// A figure with a unit.
struct AmountField {
  const char* name;
  Dimension dimension;
  std::optional<Figure> MachineType::*member;
};

constexpr AmountField kAmounts[] = {
    {"memory", Dimension::kMemory, &MachineType::memory_bytes},
    {"peak", Dimension::kRate, &MachineType::operations_per_second},
    {"memoryBandwidth", Dimension::kBandwidth, &MachineType::memory_bytes_per_second},
    {"linkRate", Dimension::kLink, &MachineType::link_bytes_per_second},
    {"linkLatency", Dimension::kLatency, &MachineType::hop_seconds}};

/// Turns a document that fits the table into types, and finds what the table cannot.
class Converter {
 public:
  Converter(std::string_view file, std::string_view today) : file_(file), today_(today) {}

  MachineReading convert(const Node& list);

 private:
  void report(yaml::Position position, const std::string& path, std::string message) {
    reading_.problems.push_back({file_, position.line, position.column, path, std::move(message)});
  }
  MachineType type(const Node& node, const std::string& path);
  Figure evidence(const Node& node, const std::string& path);
  std::optional<Figure> amount(const AmountField& field, const Node& node, const std::string& path);

  const std::string file_;
  const std::string today_;
  MachineReading reading_;
};

/// Source, date and kind; a price has no kind: it is published.
Figure Converter::evidence(const Node& node, const std::string& path) {
  const Node* const kind = node.find("kind");
  const Node& source = *node.find("source");
  const Node& date = *node.find("date");
  if (source.text.find_first_not_of(" \t\r\n") == std::string::npos)
    report(source.position, path + ".source", "is blank; say where the figure is from");
  if (!isDay(date.text))
    report(date.position, path + ".date", "found " + date.text + ", which no calendar has");
  // Dates of this form compare as texts do.
  if (!today_.empty() && date.text > today_)
    report(date.position, path + ".date",
           "found " + date.text +
               ", which lies in the future; give the day on which it was read "
               "or measured");
  const bool is_measured = kind != nullptr && kind->text == "measured";
  return {0, is_measured ? FigureOrigin::kMeasured : FigureOrigin::kPublished, source.text,
          date.text};
}

std::optional<Figure> Converter::amount(const AmountField& field, const Node& node,
                                        const std::string& path) {
  const Node& value = *node.find("value");
  const auto amount = amountIn(field.dimension, value.text);
  if (!amount) {
    report(value.position, path + "." + field.name + ".value", amount.error().message);
    return std::nullopt;
  }
  Figure figure = evidence(node, path + "." + field.name);
  figure.value = *amount;
  return figure;
}

MachineType Converter::type(const Node& node, const std::string& path) {
  MachineType type;
  type.name = node.find("name")->text;
  if (const Node* const cores = node.find("cores")) {
    type.cores = evidence(*cores, path + ".cores");
    type.cores->value = static_cast<double>(yaml::integerOf(*cores->find("value")).value_or(0));
  }
  for (const AmountField& field : kAmounts) {
    if (const Node* const given = node.find(field.name))
      type.*field.member = amount(field, *given, path);
  }
  if (const Node* const price = node.find("price")) {
    type.price_per_hour = evidence(*price, path + ".price");
    const std::string& text = price->find("perHour")->text;
    std::from_chars(text.data(), text.data() + text.size(), type.price_per_hour->value);
    type.currency = price->find("currency")->text;
  }
  return type;
}

MachineReading Converter::convert(const Node& list) {
  if (list.items.empty()) report(list.position, "spec.types", "needs at least one type");
  std::set<std::string> names;
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const Node& node = list.items[i];
    const std::string path = "spec.types[" + std::to_string(i) + "]";
    reading_.types.push_back(type(node, path));
    const std::string& name = reading_.types.back().name;
    if (name == "here")
      report(node.find("name")->position, path + ".name",
             "`here` is what sumac plan calls the machine it runs on; choose another name");
    if (!names.insert(name).second) {
      report(node.find("name")->position, path + ".name",
             "another type is called `" + name + "` too");
    }
  }
  if (!reading_.problems.empty()) reading_.types.clear();
  return std::move(reading_);
}

}  // namespace

std::string latestToday() {
  constexpr std::chrono::hours kFarthestEast(14);
  constexpr std::size_t kDayLength = 10;  // of "2026-01-31T12:00:00Z"
  return toRfc3339(SystemWallClock().now() + kFarthestEast).substr(0, kDayLength);
}

MachineReading readMachineTypes(std::string_view text, std::string_view file,
                                std::string_view today) {
  job::TableDocument document = job::readTable(machineTypesField(), "MachineTypes", text, file);
  if (!document.root) return {{}, std::move(document.problems)};
  return Converter(file, today).convert(*document.root->find("spec")->find("types"));
}

const MachineType* findMachineType(const std::vector<MachineType>& types, std::string_view name) {
  const auto found = std::ranges::find(types, name, &MachineType::name);
  return found == types.end() ? nullptr : &*found;
}

std::string machineTypeNames(const std::vector<MachineType>& types) {
  std::string names;
  for (const MachineType& type : types)
    names += (names.empty() ? "" : ", ") + type.name;
  return names;
}

}  // namespace sumac::planner
