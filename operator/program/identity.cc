#include "operator/program/identity.h"

#include <array>
#include <iomanip>
#include <sstream>

#include <unistd.h>

namespace sumac::program {

std::string hostName() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::string identityFrom(std::uint64_t random) {
  std::ostringstream text;
  text << hostName() << '_' << std::hex << std::setw(16) << std::setfill('0') << random;
  return text.str();
}

}  // namespace sumac::program
