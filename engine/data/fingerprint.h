#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/core/bytes.h"
#include "engine/data/samples.h"

namespace sumac::worker {

/// The CRC-32C of a data set of samples, split after split, which may be added piece by piece: of
/// the training samples first, then of those to test with. Whatever format they come from, the same
/// samples, labels and names have the same one.
class Fingerprint {
 public:
  void begin(std::int64_t samples, const model::Shape& shape);
  /// The bytes of pixels or values.
  void addData(BytesView bytes);
  void addLabels(std::span<const std::uint16_t> labels);
  /// All of a split, which is in memory.
  void add(const Samples& samples);
  /// Last.
  void addNames(const std::vector<std::string>& names);

  std::uint32_t value() const { return crc_; }

 private:
  std::uint32_t crc_ = 0;
};

}  // namespace sumac::worker
