#include "kube/client/base64.h"

#include <cstdint>

namespace sumac::kube {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

char digit(std::uint32_t group, int place) {
  return kAlphabet[(group >> (18U - 6U * static_cast<unsigned>(place))) & 63U];
}

/// One group of four digits, of which the last `padding` are `=`.
bool appendGroup(std::string& bytes, std::string_view four, std::size_t padding) {
  std::uint32_t group = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const auto value = i < 4 - padding ? kAlphabet.find(four[i]) : 0;
    if (value == kAlphabet.npos) return false;
    group = group << 6U | static_cast<std::uint32_t>(value);
  }
  // Bits that padding leaves over must be zero, so that a text has one meaning only.
  if (padding > 0 && (group & ((1U << (8U * padding)) - 1U)) != 0) return false;
  for (std::size_t i = 0; i + padding < 3; ++i) {
    bytes.push_back(static_cast<char>(group >> (16U - 8U * i) & 0xFFU));
  }
  return true;
}

}  // namespace

std::string toBase64(std::string_view bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t have = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      group = group << 8U | (i < have ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    }
    for (int place = 0; place < 4; ++place) {
      text.push_back(static_cast<std::size_t>(place) <= have ? digit(group, place) : '=');
    }
  }
  return text;
}

std::optional<std::string> fromBase64(std::string_view text) {
  std::string plain(text);
  std::erase_if(plain, [](char c) { return c == '\n' || c == '\r'; });
  if (plain.size() % 4 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t at = 0; at < plain.size(); at += 4) {
    const std::string_view four = std::string_view(plain).substr(at, 4);
    const bool is_last = at + 4 == plain.size();
    const std::size_t padding = !is_last || four[3] != '=' ? 0 : four[2] != '=' ? 1 : 2;
    if (!appendGroup(bytes, four, padding)) return std::nullopt;
  }
  return bytes;
}

}  // namespace sumac::kube
