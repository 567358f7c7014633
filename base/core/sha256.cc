#include "base/core/sha256.h"

#include <memory>

#include <openssl/evp.h>
#include <openssl/sha.h>

#include "base/core/check.h"

namespace sumac {

Sha256Digest sha256(BytesView data) {
  Sha256Digest digest{};
  SHA256(reinterpret_cast<const unsigned char*>(data.data()), data.size(),
         reinterpret_cast<unsigned char*>(digest.data()));
  return digest;
}

namespace {

std::string hexOf(const Sha256Digest& digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * sizeof(Sha256Digest));
  for (const std::byte byte : digest) {
    const auto value = std::to_integer<unsigned>(byte);
    hex += kDigits[value >> 4U];
    hex += kDigits[value & 0xFU];
  }
  return hex;
}

}  // namespace

std::string sha256Hex(BytesView data) {
  return hexOf(sha256(data));
}

std::string sha256HexOf(std::span<const BytesView> pieces) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        &EVP_MD_CTX_free);
  bool is_right = context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
  for (const BytesView piece : pieces)
    is_right = is_right && EVP_DigestUpdate(context.get(), piece.data(), piece.size()) == 1;
  Sha256Digest digest{};
  is_right =
      is_right && EVP_DigestFinal_ex(context.get(), reinterpret_cast<unsigned char*>(digest.data()),
                                     nullptr) == 1;
  SUMAC_CHECK(is_right, pieces.size());
  return hexOf(digest);
}

}  // namespace sumac
