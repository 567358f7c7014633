#include "common/wire/job_hash.h"

#include <charconv>
#include <string>

#include "common/base/sha256.h"

namespace sumac::wire {

std::uint64_t jobHash(std::string_view job_name, std::string_view attempt) {
  std::string text(job_name);
  text += '\0';  // no name holds it: ("a", "1b") and ("a1", "b") differ
  text += attempt;
  const std::string digest = sha256Hex(asBytes(text));
  std::uint64_t hash = 0;
  std::from_chars(digest.data(), digest.data() + 2 * sizeof(hash), hash, /*base=*/16);
  return hash;
}

}  // namespace sumac::wire
