#include "kube/api/code_map.h"

namespace sumac::api {

std::string codeMapName(const std::string& job, const std::string& uid) {
  constexpr std::size_t kUidDigits = 8;
  return job + "-code-" + uid.substr(0, kUidDigits);
}

std::string codeKey(std::size_t index) {
  return "f" + std::to_string(index);
}

}  // namespace sumac::api
