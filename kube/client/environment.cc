#include "kube/client/environment.h"

#include <string_view>

#include <unistd.h>

namespace sumac::kube {

Environment Environment::ofProcess() {
  Environment environment;
  for (char** entry = ::environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const auto equals = text.find('=');
    if (equals == text.npos) continue;
    environment.variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  environment.home = environment.variable("HOME");
  environment.is_interactive = ::isatty(STDIN_FILENO) != 0;
  return environment;
}

std::string Environment::variable(const std::string& name) const {
  const auto found = variables.find(name);
  return found == variables.end() ? std::string() : found->second;
}

}  // namespace sumac::kube
