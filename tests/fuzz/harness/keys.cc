#include <algorithm>

#include "base/core/check.h"
#include "base/keys/job_keys.h"
#include "base/keys/keyring.h"
#include "tests/fuzz/harness/harness.h"

namespace sumac::fuzz {
namespace {

void checkRing(const Keyring& ring, std::string_view private_text, std::string_view public_text) {
  SUMAC_CHECK(ring.privateKey().text() == private_text.substr(0, kKeyTextLength));
  SUMAC_CHECK(publicKeyOf(ring.privateKey()) == ring.publicKey());
  // Written again from what was read, each line is one of the file.
  std::size_t lines = 0;
  for (std::string_view rest = public_text; !rest.empty(); ++lines) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const auto slot = slotOfKeyName(line.substr(0, line.find(' ')));
    SUMAC_CHECK(slot.has_value());
    const auto key = ring.keyOf(*slot);
    SUMAC_CHECK(key.has_value() && ring.slotOf(*key) == slot, *slot);
    SUMAC_CHECK(keyName(*slot) + " " + toText(*key) == line, *slot);
  }
  SUMAC_CHECK(lines >= 1);
}

}  // namespace

void keys(BytesView input) {
  const std::string_view all = asText(input);
  const std::string_view private_text = all.substr(0, all.find('\n'));
  const std::string_view public_text = all.substr(std::min(all.size(), private_text.size() + 1));
  for (const Slot self : {Slot{Role::kServer, 0}, Slot{Role::kWorker, 0}}) {
    const auto ring = Keyring::parse(self, private_text, public_text);
    requireReason(ring);
    if (ring) checkRing(*ring, private_text, public_text);
    // A message never shows a secret.
    const std::string_view secret = private_text.substr(0, kKeyTextLength);
    if (!ring && PrivateKey::fromText(secret)) {
      SUMAC_CHECK(ring.error().message.find(secret) == std::string::npos);
    }
  }
}

}  // namespace sumac::fuzz
