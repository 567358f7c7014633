#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "engine/data/csv_columns.h"
#include "engine/data/normalization.h"
#include "engine/data/samples.h"
#include "engine/pictures/picture.h"

namespace sumac::worker {

/// What a packed file says of its samples: all that its user must know before the first of them.
struct PackedDescription {
  model::Shape shape;
  bool are_pixels = true;
  int classes = 0;
  std::vector<std::string> class_names = {};
  CsvColumns columns = {};           // of a table: how its rows became samples
  DecodeOptions pictures = {};       // of pictures: how their pixels were made
  std::uint32_t fingerprint = 0;     // as unpacked
  Normalization normalization = {};  // of all training samples
  PixelSums sums = {};               // of the same; pixels only
  ValueRange train = {};
  ValueRange test = {};     // zeros without such samples
  std::string source = {};  // what it was packed from, in the cache; else empty

  /// Bytes of one sample.
  std::uint64_t sampleBytes() const;
};

/// As JSON.
std::string toText(const PackedDescription& description);

/// The most bytes that toText() makes of a description which differs in its numbers alone.
std::uint64_t longestText(const PackedDescription& description);

/// The reverse. Fails with kInvalid where anything is missing or breaks a rule; the message is
/// about "it", the file.
Result<PackedDescription> readPackedDescription(std::string_view text);

}  // namespace sumac::worker
