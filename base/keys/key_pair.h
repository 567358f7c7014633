#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/core/bytes.h"
#include "base/core/result.h"

namespace sumac {

inline constexpr std::size_t kKeySize = 32;        // X25519, public and private
inline constexpr std::size_t kKeyTextLength = 40;  // as Z85

/// Identifies a member; not secret.
using PublicKey = std::array<std::byte, kKeySize>;

std::string toText(const PublicKey& key);
Result<PublicKey> publicKeyFromText(std::string_view text);

/// Known to one member only. Can be moved, not copied; its bytes are wiped on destruction. It never
/// appears in error messages or logs.
class PrivateKey {
 public:
  /// Copies; requires kKeySize bytes.
  explicit PrivateKey(BytesView bytes);
  static Result<PrivateKey> fromText(std::string_view text);
  ~PrivateKey();
  PrivateKey(PrivateKey&& other) noexcept;
  PrivateKey& operator=(PrivateKey&& other) noexcept;
  PrivateKey(const PrivateKey&) = delete;
  PrivateKey& operator=(const PrivateKey&) = delete;

  BytesView bytes() const { return bytes_; }
  /// For the file or the Secret that stores it; the caller wipes the text after use.
  std::string text() const;

 private:
  std::array<std::byte, kKeySize> bytes_{};
};

struct KeyPair {
  PublicKey public_key{};
  PrivateKey private_key;
};

/// A new pair for ZeroMQ's CURVE. Fails with kUnavailable when the system has no random bytes.
Result<KeyPair> makeKeyPair();

/// The public half of a private key.
PublicKey publicKeyOf(const PrivateKey& key);

/// Overwrites a secret's text or bytes in a way that the compiler does not remove.
void wipe(std::string& text);
void wipe(Bytes& bytes);

}  // namespace sumac
