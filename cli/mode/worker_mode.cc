#include "cli/mode/worker_mode.h"

#include <cerrno>
#include <cstring>

#include <unistd.h>

namespace sumac::cli {

Error becomeWorker(const std::filesystem::path& programs, std::vector<std::string> arguments) {
  std::string program = (programs / "sumac-worker").string();
  std::vector<char*> words{program.data()};
  for (std::string& argument : arguments)
    words.push_back(argument.data());
  words.push_back(nullptr);
  ::execv(program.c_str(), words.data());
  const int number = errno;
  return Error{number == ENOENT ? ErrorCode::kNotFound : ErrorCode::kUnavailable,
               "cannot execute " + program + ": " + std::strerror(number) +
                   "; it belongs beside sumac, or where SUMAC_PROGRAMS_DIR says"};
}

}  // namespace sumac::cli
