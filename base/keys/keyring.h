#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include "base/core/result.h"
#include "base/core/slot.h"
#include "base/keys/key_pair.h"

namespace sumac {

/// The keys of one member: its own private one and the public ones of all slots of the job.
/// Immutable; safe from any thread.
class Keyring {
 public:
  /// Reads the files `private` and `public` of a folder (docs/design/security.md#keys).
  /// Fails as parse() does, with kNotFound where a file is missing; messages name the file.
  static Result<Keyring> read(const std::filesystem::path& folder, Slot self);

  /// From the texts of these files. Fails with kInvalid when a line cannot be read, a slot or a key
  /// occurs twice, or the private key is not that of slot `self`.
  static Result<Keyring> parse(Slot self, std::string_view private_text,
                               std::string_view public_text);

  Slot self() const { return self_; }
  const PrivateKey& privateKey() const { return private_key_; }
  const PublicKey& publicKey() const { return key_of_.at(self_); }

  /// The key of a slot; nothing when the job has none for it.
  std::optional<PublicKey> keyOf(Slot slot) const;
  /// The slot of a key; nothing for an unknown key.
  std::optional<Slot> slotOf(const PublicKey& key) const;

 private:
  Keyring(Slot self, PrivateKey private_key);
  Result<void> addLine(std::string_view line);

  Slot self_;
  PrivateKey private_key_;
  std::map<Slot, PublicKey> key_of_;
  std::map<PublicKey, Slot> slot_of_;
};

/// A member's keys, read from `folder`; null for a job without encryption. Fails as Keyring::read()
/// does, and with kInvalid when `folder` is empty.
Result<std::shared_ptr<const Keyring>> openKeyring(bool is_encrypted,
                                                   const std::filesystem::path& folder, Slot self);

}  // namespace sumac
