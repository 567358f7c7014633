#include "base/keys/key_pair.h"

#include <algorithm>
#include <memory>

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "base/keys/z85.h"

namespace sumac {
namespace {

static_assert(z85Length(kKeySize) == kKeyTextLength);

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

const unsigned char* raw(BytesView bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

PublicKey publicHalf(const Key& key) {
  PublicKey bytes{};
  std::size_t size = bytes.size();
  const int done =
      EVP_PKEY_get_raw_public_key(key.get(), reinterpret_cast<unsigned char*>(bytes.data()), &size);
  SUMAC_CHECK(done == 1 && size == kKeySize, size);
  return bytes;
}

}  // namespace

std::string toText(const PublicKey& key) {
  return encodeZ85(key);
}

Result<PublicKey> publicKeyFromText(std::string_view text) {
  PublicKey key{};
  if (const auto decoded = decodeZ85(text, key); !decoded) {
    return decoded.error().within("a public key");
  }
  return key;
}

PrivateKey::PrivateKey(BytesView bytes) {
  SUMAC_CHECK(bytes.size() == kKeySize, bytes.size());
  std::copy(bytes.begin(), bytes.end(), bytes_.begin());
}

Result<PrivateKey> PrivateKey::fromText(std::string_view text) {
  std::array<std::byte, kKeySize> bytes{};
  PrivateKey key{bytes};
  if (const auto decoded = decodeZ85(text, key.bytes_); !decoded) {
    return decoded.error().within("a private key");
  }
  return key;
}

PrivateKey::~PrivateKey() {
  OPENSSL_cleanse(bytes_.data(), bytes_.size());
}

PrivateKey::PrivateKey(PrivateKey&& other) noexcept : bytes_(other.bytes_) {
  OPENSSL_cleanse(other.bytes_.data(), other.bytes_.size());
}

PrivateKey& PrivateKey::operator=(PrivateKey&& other) noexcept {
  if (this != &other) {
    bytes_ = other.bytes_;
    OPENSSL_cleanse(other.bytes_.data(), other.bytes_.size());
  }
  return *this;
}

std::string PrivateKey::text() const {
  return encodeZ85(bytes_);
}

Result<KeyPair> makeKeyPair() {
  const Key key(EVP_PKEY_Q_keygen(nullptr, nullptr, "X25519"), &EVP_PKEY_free);
  std::array<std::byte, kKeySize> bytes{};
  std::size_t size = bytes.size();
  if (!key || EVP_PKEY_get_raw_private_key(
                  key.get(), reinterpret_cast<unsigned char*>(bytes.data()), &size) != 1) {
    return Error{ErrorCode::kUnavailable,
                 "cannot create a key: the system has no source of randomness"};
  }
  KeyPair pair{publicHalf(key), PrivateKey(bytes)};
  OPENSSL_cleanse(bytes.data(), bytes.size());
  return pair;
}

PublicKey publicKeyOf(const PrivateKey& key) {
  const Key whole(
      EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nullptr, raw(key.bytes()), kKeySize),
      &EVP_PKEY_free);
  SUMAC_CHECK(whole != nullptr);
  return publicHalf(whole);
}

void wipe(std::string& text) {
  OPENSSL_cleanse(text.data(), text.size());
  text.clear();
}

void wipe(Bytes& bytes) {
  OPENSSL_cleanse(bytes.data(), bytes.size());
  bytes.clear();
}

}  // namespace sumac
