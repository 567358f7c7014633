#include "engine/data/csv_samples.h"

#include <utility>

#include "base/core/bytes.h"
#include "base/core/file.h"
#include "engine/data/csv.h"
#include "engine/data/csv_encoder.h"
#include "engine/data/csv_header.h"

namespace sumac::worker {

Result<Samples> loadCsvSamples(const std::filesystem::path& file, const CsvColumns& columns) {
  const auto bytes = readFile(file, kMaxCsvFile);
  if (!bytes) return bytes.error();
  CsvReader reader(asText(*bytes), file.string());
  auto names = readCsvNames(reader);
  if (!names) return names.error();
  const CsvHeader header{*std::move(names), /*label=*/0};
  auto places = placesOf(columns, header.names);
  if (!places) return reader.refused(0, places.error().message + "; add it");
  CsvEncoder encoder(columns, *std::move(places));
  Samples samples{.shape = {static_cast<std::int64_t>(columns.features())}};
  while (true) {
    const auto found = nextRow(reader, header);
    if (!found) return found.error();
    if (!*found) break;
    if (auto added = encoder.add(reader, samples.values); !added) return added.error();
    samples.labels.push_back(0);
  }
  if (samples.count() == 0) return reader.refused(0, "there are no lines below the header");
  return samples;
}

}  // namespace sumac::worker
