#include "base/keys/job_token.h"

#include <array>

#include <openssl/crypto.h>
#include <openssl/rand.h>

namespace sumac {

Result<std::string> makeJobToken() {
  constexpr std::size_t kTokenBytes = 32;
  constexpr unsigned kDigitBits = 4;
  constexpr unsigned kDigitMask = 15;
  std::array<unsigned char, kTokenBytes> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) {
    return Error{ErrorCode::kUnavailable,
                 "cannot create a job token: the system has no source of randomness"};
  }
  constexpr const char* kDigits = "0123456789abcdef";
  std::string token;
  for (const unsigned char byte : bytes) {
    token += kDigits[byte >> kDigitBits];
    token += kDigits[byte & kDigitMask];
  }
  OPENSSL_cleanse(bytes.data(), bytes.size());
  return token;
}

}  // namespace sumac
