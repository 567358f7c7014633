#include "engine/data/csv_encoder.h"

#include <span>
#include <utility>

namespace sumac::worker {

CsvEncoder::CsvEncoder(const CsvColumns& columns, std::vector<std::size_t> places)
    : columns_(columns),
      places_(std::move(places)),
      features_(columns.features()),
      cells_(places_.size()) {}

Result<void> CsvEncoder::add(const CsvReader& reader, std::vector<float>& features) {
  for (std::size_t i = 0; i < places_.size(); ++i)
    cells_[i] = reader.cells()[places_[i]];
  const std::size_t begin = features.size();
  if ((begin + features_) * sizeof(float) > kMaxCsvFeatures) return tooManyFeatures(reader);
  features.resize(begin + features_);
  if (const auto problem = encodeRow(columns_, cells_, std::span(features).subspan(begin)))
    return reader.refused(places_[problem->column], problem->message);
  return {};
}

Error tooManyFeatures(const CsvReader& reader) {
  return reader.refused(0,
                        "the features up to here take more than 2 GiB; use fewer lines, or leave "
                        "out columns with many categories");
}

}  // namespace sumac::worker
