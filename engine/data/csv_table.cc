#include "engine/data/csv_table.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/core/bytes.h"
#include "base/core/file.h"
#include "engine/data/csv.h"
#include "engine/data/csv_encoder.h"
#include "engine/data/csv_header.h"
#include "engine/data/csv_training.h"

namespace sumac::worker {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCsvFiles =
    "a table has train.csv and, to measure with, test.csv, each with a header: the names of the "
    "columns";

/// Where the columns are in a header that has these and the label, no more.
Result<std::vector<std::size_t>> samePlaces(const CsvReader& reader, const CsvColumns& columns,
                                            const CsvHeader& header) {
  auto places = placesOf(columns, header.names);
  if (!places) return reader.refused(0, places.error().message + "; both have the same columns");
  std::vector<bool> is_known(header.names.size());
  is_known[header.label] = true;
  for (const std::size_t place : *places)
    is_known[place] = true;
  const auto other = std::ranges::find(is_known, false);
  if (other == is_known.end()) return places;
  const auto at = static_cast<std::size_t>(other - is_known.begin());
  return reader.refused(at, "the data to train on have no column " + shownCell(header.names[at]) +
                                "; both have the same columns");
}

using PlacesByName = std::unordered_map<std::string_view, std::uint16_t>;

Result<void> addLabel(const CsvReader& reader, std::size_t cell, const PlacesByName& classes,
                      Samples& samples) {
  const std::string_view name = reader.cells()[cell];
  if (name.empty())
    return reader.refused(cell, "there is no class here; write one, or leave the line out");
  const auto found = classes.find(name);
  if (found == classes.end()) {
    return reader.refused(cell, "no line to train on has the class " + shownCell(name) +
                                    "; add such lines to train.csv, or leave this one out");
  }
  samples.labels.push_back(found->second);
  return {};
}

Result<Samples> readTest(std::string_view text, const std::string& name,
                         const CsvTraining& training) {
  CsvReader reader(text, name);
  const auto header = readCsvHeader(reader, training.columns.label);
  if (!header) return header.error();
  const auto places = samePlaces(reader, training.columns, *header);
  if (!places) return places.error();
  PlacesByName classes;
  for (std::size_t place = 0; place < training.classes.size(); ++place)
    classes.emplace(training.classes[place], static_cast<std::uint16_t>(place));
  Samples samples{.shape = training.samples.shape};
  CsvEncoder encoder(training.columns, *places);
  while (true) {
    const auto found = nextRow(reader, *header);
    if (!found) return found.error();
    if (!*found) break;
    if (auto added = addLabel(reader, header->label, classes, samples); !added)
      return added.error();
    if (auto added = encoder.add(reader, samples.values); !added) return added.error();
  }
  if (samples.count() == 0)
    return reader.refused(0, "there are no lines below the header; add those to test with");
  return samples;
}

Result<CsvTraining> loadTraining(const fs::path& path, const std::string& label) {
  const auto bytes = readFile(path, kMaxCsvFile);
  if (!bytes && bytes.error().code == ErrorCode::kNotFound) return bytes.error().within(kCsvFiles);
  if (!bytes) return bytes.error();
  return readCsvTraining(asText(*bytes), path.string(), label);
}

/// No samples where there is no such file.
Result<Samples> loadTest(const fs::path& path, const CsvTraining& training) {
  const auto bytes = readFile(path, kMaxCsvFile);
  if (!bytes && bytes.error().code == ErrorCode::kNotFound)
    return Samples{.shape = training.samples.shape};
  if (!bytes) return bytes.error();
  return readTest(asText(*bytes), path.string(), training);
}

}  // namespace

Result<CsvTable> loadCsv(const fs::path& folder, const std::string& label) {
  auto training = loadTraining(folder / "train.csv", label);
  if (!training) return training.error();
  auto test = loadTest(folder / "test.csv", *training);
  if (!test) return test.error();
  Images images{.train = std::move(training->samples),
                .test = *std::move(test),
                .classes = static_cast<int>(training->classes.size()),
                .class_names = std::move(training->classes)};
  return CsvTable{std::move(images), std::move(training->columns)};
}

}  // namespace sumac::worker
