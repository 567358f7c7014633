#include "exchange/wire/job_hash.h"

#include <string>

#include "base/core/sha256.h"

namespace sumac::wire {

std::uint64_t jobHash(std::string_view job_name, std::string_view attempt, std::string_view token) {
  std::string text(job_name);
  text += '\0';  // no name holds it: ("a", "1b") and ("a1", "b") differ
  text += attempt;
  if (!token.empty()) {
    text += '\0';
    text += token;
  }
  return __builtin_bswap64(loadLittleEndian<std::uint64_t>(sha256(asBytes(text)).data()));
}

}  // namespace sumac::wire
