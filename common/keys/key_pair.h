#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "common/base/bytes.h"
#include "common/base/result.h"

namespace sumac {

inline constexpr std::size_t kKeySize = 32;        // X25519, public and private
inline constexpr std::size_t kKeyTextLength = 40;  // as Z85

/// What a member is known by: everybody may read it.
using PublicKey = std::array<std::byte, kKeySize>;

std::string toText(const PublicKey& key);
Result<PublicKey> publicKeyFromText(std::string_view text);

/// What only one member knows. Moves, never copies; its bytes are wiped when it goes. Nothing
/// prints it: no error message and no log line ever holds it.
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
  /// For the file or the Secret that holds it; whoever asks wipes the text after use.
  std::string text() const;

 private:
  std::array<std::byte, kKeySize> bytes_{};
};

struct KeyPair {
  PublicKey public_key{};
  PrivateKey private_key;
};

/// A new pair, as ZeroMQ's CURVE wants it. Fails with kUnavailable when the machine has no
/// randomness to give.
Result<KeyPair> makeKeyPair();

/// The public half of a private key.
PublicKey publicKeyOf(const PrivateKey& key);

/// Overwrites what a secret's text or bytes held, in a way that no optimiser removes.
void wipe(std::string& text);
void wipe(Bytes& bytes);

}  // namespace sumac
