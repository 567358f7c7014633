#include "engine/data/csv_training.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "engine/data/csv_classes.h"
#include "engine/data/csv_encoder.h"
#include "engine/data/csv_header.h"

namespace sumac::worker {
namespace {

/// What is known of a column after some rows.
struct SeenColumn {
  bool is_text = false;  // taken for categories, which are gathered
  std::int64_t numbers = 0;
  std::int64_t texts = 0;
  std::string first_text = {};  // the cell as shown
  std::string its_place = {};
  std::set<std::string, std::less<>> categories = {};

  bool isMixed() const { return texts > 0 && numbers >= texts; }
};

Error mixed(const SeenColumn& column, const std::string& name) {
  return Error{ErrorCode::kInvalid,
               "cannot use " + column.its_place + ": column " + shownCell(name) +
                   " has numbers in " + std::to_string(column.numbers) + " of " +
                   std::to_string(column.numbers + column.texts) + " lines, but here " +
                   column.first_text + "; write it as a number, or leave the line out"};
}

/// Reads all rows, finds out what the columns are, and has the values if all are numeric.
class FirstReading {
 public:
  FirstReading(const CsvHeader& header, const std::vector<bool>& are_text) : header_(header) {
    columns_.resize(header.names.size());
    for (std::size_t i = 0; i < columns_.size(); ++i)
      columns_[i].is_text = are_text[i];
  }

  void reserve(std::string_view text) {
    std::size_t lines = 1;
    for (std::size_t at = 0; (at = text.find('\n', at)) != text.npos; ++at)
      ++lines;
    const std::size_t most = text.size() / 2 + 1;  // a cell and a comma
    values_.reserve(std::min({lines * (columns_.size() - 1), most, kMaxValues}));
  }

  Result<void> add(const CsvReader& reader) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      auto added = i == header_.label ? classes_.add(reader, i) : addCell(reader, i);
      if (!added) return added;
    }
    ++rows_;
    if (values_.size() > kMaxValues) return tooManyFeatures(reader);
    return {};
  }

  std::size_t rows() const { return rows_; }
  std::vector<SeenColumn>& columns() { return columns_; }
  CsvClasses& classes() { return classes_; }
  /// Those of all rows; none if there is a text in a column.
  std::vector<float>& values() { return values_; }

 private:
  static constexpr std::size_t kMaxValues = kMaxCsvFeatures / sizeof(float);

  Result<void> addCell(const CsvReader& reader, std::size_t i) {
    SeenColumn& column = columns_[i];
    const std::string_view cell = reader.cells()[i];
    const auto number = csvNumber(cell);
    if (number) {
      ++column.numbers;
      if (are_numbers_) values_.push_back(*number);
      return column.is_text ? addCategory(reader, i) : Result<void>{};
    }
    if (cell.empty()) {
      return reader.refused(i, "column " + shownCell(header_.names[i]) +
                                   " has no value here; write one, or leave the line out");
    }
    if (std::exchange(are_numbers_, false)) values_ = {};
    if (column.texts++ == 0) {
      column.first_text = shownCell(cell);
      column.its_place = reader.placeOf(i);
    }
    if (rows_ == 0) column.is_text = true;
    return column.is_text ? addCategory(reader, i) : Result<void>{};
  }

  Result<void> addCategory(const CsvReader& reader, std::size_t i) {
    SeenColumn& column = columns_[i];
    const std::string_view cell = reader.cells()[i];
    if (column.categories.contains(cell)) return {};
    if (column.categories.size() == kMaxCategories) {
      if (column.isMixed()) return mixed(column, header_.names[i]);
      return reader.refused(i, "column " + shownCell(header_.names[i]) +
                                   " has more than 1,000 different texts up to here; group them, "
                                   "or leave the column out");
    }
    if (const std::string problem = csvNameProblem(cell); !problem.empty())
      return reader.refused(i, problem);
    column.categories.emplace(cell);
    return {};
  }

  const CsvHeader& header_;
  std::vector<SeenColumn> columns_;
  CsvClasses classes_;
  std::vector<float> values_;
  bool are_numbers_ = true;
  std::size_t rows_ = 0;
};

CsvColumns columnsOf(const CsvHeader& header, const std::vector<SeenColumn>& seen) {
  CsvColumns columns{header.names[header.label], {}};
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (i == header.label) continue;
    const bool is_text = seen[i].texts > 0;
    columns.columns.push_back({header.names[i],
                               is_text ? CsvKind::kCategorical : CsvKind::kNumeric,
                               {seen[i].categories.begin(), seen[i].categories.end()}});
  }
  return columns;
}

/// Reads the rows. `are_text`: of which columns to gather categories.
Result<FirstReading> readFirst(CsvReader reader, const CsvHeader& header, std::string_view text,
                               const std::vector<bool>& are_text) {
  FirstReading reading(header, are_text);
  reading.reserve(text);
  while (true) {
    const auto found = nextRow(reader, header);
    if (!found) return found.error();
    if (!*found) break;
    if (auto added = reading.add(reader); !added) return added.error();
  }
  if (reading.rows() == 0)
    return reader.refused(0, "there are no lines below the header; add those to train on");
  return reading;
}

/// As readFirst(). A column may begin with numbers and be of texts all the same: then its
/// categories are gathered from the beginning.
Result<FirstReading> readAll(const CsvReader& reader, const CsvHeader& header,
                             std::string_view text) {
  std::vector<bool> are_text(header.names.size());
  auto reading = readFirst(reader, header, text, are_text);
  if (!reading) return reading;
  bool has_missed = false;
  for (std::size_t i = 0; i < are_text.size(); ++i) {
    const SeenColumn& column = reading->columns()[i];
    if (column.isMixed()) return mixed(column, header.names[i]);
    are_text[i] = column.texts > 0;
    has_missed = has_missed || (are_text[i] && !column.is_text);
  }
  return has_missed ? readFirst(reader, header, text, are_text) : std::move(reading);
}

/// The features of all rows.
Result<std::vector<float>> encodeAll(CsvReader reader, const CsvHeader& header,
                                     const CsvColumns& columns, std::size_t rows) {
  auto places = placesOf(columns, header.names);
  if (!places) return places.error();
  CsvEncoder encoder(columns, *std::move(places));
  std::vector<float> features;
  features.reserve(std::min(rows * columns.features(), kMaxCsvFeatures / sizeof(float)));
  while (true) {
    const auto found = nextRow(reader, header);
    if (!found) return found.error();
    if (!*found) return features;
    if (auto added = encoder.add(reader, features); !added) return added.error();
  }
}

}  // namespace

Result<CsvTraining> readCsvTraining(std::string_view text, const std::string& name,
                                    const std::string& label) {
  CsvReader reader(text, name);
  const auto header = readCsvHeader(reader, label);
  if (!header) return header.error();
  auto reading = readAll(reader, *header, text);
  if (!reading) return reading.error();
  CsvTraining training{columnsOf(*header, reading->columns()), reading->classes().sort(), {}};
  if (training.classes.size() < 2) {
    return reader.refused(header->label, "all lines have the class " +
                                             shownCell(training.classes.front()) +
                                             "; data to train on have two or more");
  }
  training.samples.shape = {static_cast<std::int64_t>(training.columns.features())};
  training.samples.labels = std::move(reading->classes().ofRows());
  training.samples.values = std::move(reading->values());
  if (!training.samples.values.empty()) return training;
  auto values = encodeAll(reader, *header, training.columns, reading->rows());
  if (!values) return values.error();
  training.samples.values = *std::move(values);
  return training;
}

}  // namespace sumac::worker
