#include "base/core/sha256.h"

#include <openssl/sha.h>

namespace sumac {

Sha256Digest sha256(BytesView data) {
  Sha256Digest digest{};
  SHA256(reinterpret_cast<const unsigned char*>(data.data()), data.size(),
         reinterpret_cast<unsigned char*>(digest.data()));
  return digest;
}

std::string sha256Hex(BytesView data) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * sizeof(Sha256Digest));
  for (const std::byte byte : sha256(data)) {
    const auto value = std::to_integer<unsigned>(byte);
    hex += kDigits[value >> 4U];
    hex += kDigits[value & 0xFU];
  }
  return hex;
}

}  // namespace sumac
