#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/core/check.h"
#include "base/core/crc32c.h"
#include "engine/checkpoint/file_tensors.h"
#include "engine/checkpoint/manifest.h"
#include "engine/checkpoint/program_state.h"
#include "engine/checkpoint/safetensors.h"
#include "tests/fuzz/harness/harness.h"
#include "tests/fuzz/harness/networks.h"
#include "tests/fuzz/harness/printed.h"

namespace sumac::fuzz {
namespace {

using checkpoint::Manifest;
using nlohmann::json;

bool isSame(std::span<const float> a, std::span<const float> b) {
  return std::ranges::equal(a, b, [](float x, float y) {
    return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
  });
}

void checkTensors(const model::Network& network, BytesView input) {
  const model::Network tensors = checkpoint::fileTensors(network);
  const auto read = checkpoint::decodeSafetensors(tensors, input);
  requireReason(read);
  if (!read) return;
  const Bytes file = checkpoint::encodeSafetensors(tensors, read->values, read->metadata);
  const auto again = checkpoint::decodeSafetensors(tensors, file);
  SUMAC_CHECK(again.has_value(), again ? "" : again.error().message);
  SUMAC_CHECK(isSame(again->values, read->values) && again->metadata == read->metadata);
  const std::vector<float> plan = checkpoint::fromFile(network, read->values);
  // A file of others may have two biases that are not a number together, which no file of ours has.
  if (std::any_of(plan.begin(), plan.end(), [](float value) { return std::isnan(value); })) return;
  SUMAC_CHECK(isSame(checkpoint::fromFile(network, checkpoint::toFile(network, plan)), plan));
}

/// The header with its length before it and as many zeros behind it as the tensors need.
Bytes withTensors(const model::Network& network, BytesView text) {
  const auto values = static_cast<std::size_t>(checkpoint::fileTensors(network).parameters);
  Bytes file(sizeof(std::uint64_t));
  storeLittleEndian(file.data(), std::uint64_t{text.size()});
  file.insert(file.end(), text.begin(), text.end());
  file.resize(file.size() + values * sizeof(float));
  return file;
}

void checkManifest(std::string_view text) {
  const auto read = Manifest::parse(text);
  requireReason(read);
  if (!read) return;
  SUMAC_CHECK(read->text() == text, text);
  SUMAC_CHECK(read->step >= 0, read->step);
  const bool has_third = read->hasState() || read->isOfProgram();
  SUMAC_CHECK(read->files().size() == (has_third ? 3U : 2U));
}

}  // namespace

void programState(BytesView input) {
  constexpr std::size_t kPadding = 3;
  const auto read = checkpoint::programStateFrom(input, kPadding);
  requireReason(read);
  if (!read) return;
  Bytes bytes = checkpoint::headOf(*read);
  for (const auto& tensor : read->tensors)
    bytes.insert(bytes.end(), tensor.view.data.begin(), tensor.view.data.end());
  const auto again = checkpoint::programStateFrom(bytes);
  SUMAC_CHECK(again.has_value(), again ? "" : again.error().message);
  SUMAC_CHECK(again->step == read->step && again->text == read->text);
  SUMAC_CHECK(again->tensors.size() == read->tensors.size());
  SUMAC_CHECK(checkpoint::headOf(*again) == checkpoint::headOf(*read));
}

void safetensors(BytesView input) {
  static const std::array<model::Network, 2> kNetworks = {twoTensors(), smallLstm()};
  for (const model::Network& network : kNetworks) {
    checkTensors(network, input);
    checkTensors(network, withTensors(network, input));
  }
}

void manifest(BytesView input) {
  checkManifest(asText(input));
  // With the checksum that the rest should have.
  json whole = json::parse(asText(input), nullptr, /*allow_exceptions=*/false);
  if (!whole.is_object() || !whole.contains("checkpoint")) return;
  whole["crc32c"] = crc32c(asBytes(printed(whole["checkpoint"])));
  checkManifest(printed(whole, 2) + "\n");
}

}  // namespace sumac::fuzz
