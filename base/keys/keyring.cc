#include "base/keys/keyring.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/core/file.h"
#include "base/keys/job_keys.h"

namespace sumac {
namespace {

constexpr std::uint64_t kPrivateLimit = 64;        // bytes: the key and an end of line
constexpr std::uint64_t kPublicLimit = 512 << 10;  // 5,120 lines of at most 52

Error invalid(const std::string& message) {
  return {ErrorCode::kInvalid, message};
}

/// Without the one end of line that a file may have.
std::string_view withoutEnd(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

}  // namespace

Keyring::Keyring(Slot self, PrivateKey private_key)
    : self_(self), private_key_(std::move(private_key)) {}

Result<void> Keyring::addLine(std::string_view line) {
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) return invalid("it is not \"<role>-<index> <key>\"");
  const auto slot = slotOfKeyName(line.substr(0, space));
  if (!slot) return invalid("it does not begin with a slot such as worker-3");
  const auto key = publicKeyFromText(line.substr(space + 1));
  if (!key) return key.error();
  if (!key_of_.emplace(*slot, *key).second) {
    return invalid(toString(*slot) + " appears twice");
  }
  if (const auto [at, is_new] = slot_of_.emplace(*key, *slot); !is_new) {
    return invalid(toString(*slot) + " has the key of " + toString(at->second));
  }
  return {};
}

Result<Keyring> Keyring::parse(Slot self, std::string_view private_text,
                               std::string_view public_text) {
  auto private_key = PrivateKey::fromText(withoutEnd(private_text));
  if (!private_key) return private_key.error();
  Keyring ring(self, std::move(private_key).value());
  if (public_text.size() > kPublicLimit) return invalid("the text of the public keys is too long");
  std::string_view rest = public_text;
  for (int number = 1; !rest.empty(); ++number) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (const auto added = ring.addLine(line); !added) {
      return added.error().within("line " + std::to_string(number) + " of the public keys");
    }
  }
  const auto own = ring.keyOf(self);
  if (!own) return invalid("the public keys have none for " + toString(self));
  if (*own != sumac::publicKeyOf(ring.private_key_)) {
    return invalid("the private key is not that of " + toString(self) +
                   ": does another slot use this folder?");
  }
  return ring;
}

Result<Keyring> Keyring::read(const std::filesystem::path& folder, Slot self) {
  const auto public_text = readTextFile(folder / "public", kPublicLimit);
  if (!public_text) return public_text.error();
  auto private_bytes = readFile(folder / "private", kPrivateLimit);
  if (!private_bytes) return private_bytes.error();
  auto ring = parse(self, asText(*private_bytes), *public_text);
  wipe(*private_bytes);
  if (!ring) return ring.error().within("keys of " + folder.string());
  return ring;
}

std::optional<PublicKey> Keyring::keyOf(Slot slot) const {
  const auto found = key_of_.find(slot);
  if (found == key_of_.end()) return std::nullopt;
  return found->second;
}

std::optional<Slot> Keyring::slotOf(const PublicKey& key) const {
  const auto found = slot_of_.find(key);
  if (found == slot_of_.end()) return std::nullopt;
  return found->second;
}

Result<std::shared_ptr<const Keyring>> openKeyring(bool is_encrypted,
                                                   const std::filesystem::path& folder, Slot self) {
  if (!is_encrypted) return std::shared_ptr<const Keyring>();
  if (folder.empty()) {
    return invalid(
        "spec.security.transport is curve, and no keys were given: name their folder by --keys "
        "(SUMAC_KEYS), start the job with `sumac run`, which makes keys, or ask for transport: "
        "none");
  }
  auto ring = Keyring::read(folder, self);
  if (!ring) return ring.error();
  return std::make_shared<const Keyring>(std::move(ring).value());
}

}  // namespace sumac
