#include "engine/data/csv_classes.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>

#include "engine/data/csv_header.h"
#include "engine/data/samples.h"

namespace sumac::worker {
namespace {

/// The integer that a class is, if it is written as integers are.
std::optional<std::int64_t> integerOf(const std::string& name) {
  std::int64_t value = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, failure] = std::from_chars(name.data(), end, value);
  if (failure != std::errc{} || stop != end || std::to_string(value) != name) return std::nullopt;
  return value;
}

bool isInteger(const std::string& name) {
  return integerOf(name).has_value();
}

}  // namespace

Result<void> CsvClasses::add(const CsvReader& reader, std::size_t cell) {
  const std::string_view name = reader.cells()[cell];
  auto known = numbers_.find(name);
  if (known == numbers_.end()) {
    if (auto added = addNew(reader, cell); !added) return added;
    known = numbers_.find(name);
  }
  of_rows_.push_back(known->second);
  return {};
}

Result<void> CsvClasses::addNew(const CsvReader& reader, std::size_t cell) {
  const std::string_view name = reader.cells()[cell];
  if (name.empty())
    return reader.refused(cell, "there is no class here; write one, or leave the line out");
  if (const std::string problem = csvNameProblem(name); !problem.empty())
    return reader.refused(cell, problem);
  if (numbers_.size() == kMaxClasses) {
    return reader.refused(cell,
                          "the column of classes has more than 65,536 different values up to here; "
                          "name a column with fewer as the label");
  }
  numbers_.emplace(name, static_cast<std::uint16_t>(numbers_.size()));
  return {};
}

std::vector<std::string> CsvClasses::sort() {
  std::vector<std::string> names;
  for (const auto& [name, number] : numbers_)
    names.push_back(name);
  if (std::ranges::all_of(names, isInteger)) {
    std::ranges::sort(names, {}, [](const std::string& name) { return *integerOf(name); });
  } else {
    std::ranges::sort(names);
  }
  std::vector<std::uint16_t> places(names.size());
  for (std::size_t place = 0; place < names.size(); ++place) {
    std::uint16_t& number = numbers_[names[place]];
    places[number] = static_cast<std::uint16_t>(place);
    number = static_cast<std::uint16_t>(place);
  }
  for (std::uint16_t& number : of_rows_)
    number = places[number];
  return names;
}

}  // namespace sumac::worker
