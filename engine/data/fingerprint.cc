#include "engine/data/fingerprint.h"

#include <algorithm>

#include "base/core/crc32c.h"

namespace sumac::worker {

void Fingerprint::begin(std::int64_t samples, const model::Shape& shape) {
  const std::string text = std::to_string(samples) + "x" + model::toString(shape) + ":";
  crc_ = crc32c(asBytes(text), crc_);
}

void Fingerprint::addData(BytesView bytes) {
  crc_ = crc32c(bytes, crc_);
}

void Fingerprint::addLabels(std::span<const std::uint16_t> labels) {
  // Their low bytes, as when labels had one byte, then their high bytes, if one is not zero.
  constexpr unsigned kByte = 8;
  std::vector<std::uint8_t> bytes(labels.size());
  std::ranges::transform(labels, bytes.begin(), [](unsigned l) { return l & 0xFFU; });
  crc_ = crc32c(std::as_bytes(std::span(bytes)), crc_);
  std::ranges::transform(labels, bytes.begin(), [](unsigned l) { return l >> kByte; });
  const bool are_wide = std::ranges::any_of(bytes, [](unsigned high) { return high != 0; });
  if (are_wide) crc_ = crc32c(std::as_bytes(std::span(bytes)), crc_);
}

void Fingerprint::add(const Samples& samples) {
  begin(samples.count(), samples.shape);
  addData(std::as_bytes(std::span(samples.pixels)));
  addData(std::as_bytes(std::span(samples.values)));
  addLabels(samples.labels);
}

void Fingerprint::addNames(const std::vector<std::string>& names) {
  for (const std::string& name : names)
    crc_ = crc32c(asBytes(name + "\n"), crc_);
}

}  // namespace sumac::worker
