#include "base/keys/z85.h"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>

namespace sumac {
namespace {

constexpr std::string_view kAlphabet =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
constexpr std::uint32_t kBase = 85;
constexpr std::size_t kGroupBytes = 4;
constexpr std::size_t kGroupCharacters = 5;
static_assert(kAlphabet.size() == kBase);

constexpr std::uint8_t kNoDigit = 255;

constexpr std::array<std::uint8_t, 256> makeDigits() {
  std::array<std::uint8_t, 256> digits{};
  digits.fill(kNoDigit);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    digits[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return digits;
}

constexpr std::array<std::uint8_t, 256> kDigits = makeDigits();

/// Five characters as a number, unless one is foreign or the number needs more than 32 bits.
std::optional<std::uint32_t> groupOf(std::string_view characters) {
  std::uint64_t value = 0;
  for (const char character : characters) {
    const std::uint8_t digit = kDigits[static_cast<unsigned char>(character)];
    if (digit == kNoDigit) return std::nullopt;
    value = value * kBase + digit;
  }
  if (value > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(value);
}

}  // namespace

std::string encodeZ85(BytesView bytes) {
  SUMAC_CHECK(bytes.size() % kGroupBytes == 0, bytes.size());
  std::string text(z85Length(bytes.size()), '\0');
  auto out = text.begin();
  for (std::size_t at = 0; at < bytes.size(); at += kGroupBytes) {
    std::uint32_t value = 0;  // most significant byte first
    for (const std::byte byte : bytes.subspan(at, kGroupBytes)) {
      value = (value << 8U) | std::to_integer<std::uint32_t>(byte);
    }
    for (std::uint32_t divisor = kBase * kBase * kBase * kBase; divisor > 0; divisor /= kBase) {
      *out++ = kAlphabet[value / divisor % kBase];
    }
  }
  return text;
}

Result<void> decodeZ85(std::string_view text, std::span<std::byte> to) {
  SUMAC_CHECK(to.size() % kGroupBytes == 0, to.size());
  if (text.size() != z85Length(to.size())) {
    return Error{ErrorCode::kInvalid, "it has " + std::to_string(text.size()) +
                                          " characters in place of " +
                                          std::to_string(z85Length(to.size()))};
  }
  for (std::size_t at = 0; at < text.size(); at += kGroupCharacters) {
    const auto value = groupOf(text.substr(at, kGroupCharacters));
    if (!value) {
      return Error{ErrorCode::kInvalid,
                   "the five characters from the " + std::to_string(at + 1) + ". on are no Z85"};
    }
    const std::size_t first = at / kGroupCharacters * kGroupBytes;
    for (std::size_t i = 0; i < kGroupBytes; ++i) {
      to[first + i] = static_cast<std::byte>((*value >> (8 * (kGroupBytes - 1 - i))) & 0xFFU);
    }
  }
  return {};
}

}  // namespace sumac
