#include "base/process/member_flags.h"

#include <cstdlib>
#include <stdexcept>

#include "base/core/file.h"

namespace sumac::member_flags {
namespace {

constexpr std::uint64_t kLongestToken = 4096;

std::string tokenIn(const char* file) {
  auto text = readTextFile(file, kLongestToken);
  const std::string name =
      "the job token, " + std::string(file) + " (" + kJobTokenFileVariable + ")";
  if (!text) {
    throw std::runtime_error("cannot read " + name + ": " + text.error().message +
                             "; is the job's Secret mounted?");
  }
  // An editor or `echo` ends the text with a newline.
  text->erase(text->find_last_not_of("\r\n") + 1);
  if (text->empty()) {
    throw std::runtime_error(name + ", is empty: it must hold the token that all members have");
  }
  return *std::move(text);
}

}  // namespace

std::string jobToken() {
  if (const char* const file = std::getenv(kJobTokenFileVariable)) return tokenIn(file);
  const char* const token = std::getenv(kJobTokenVariable);
  return token == nullptr ? std::string() : std::string(token);
}

}  // namespace sumac::member_flags
