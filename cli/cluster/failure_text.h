#pragma once

#include <string>

#include "kube/client/client.h"
#include "kube/client/resource.h"

namespace sumac::cli {

/// What a command wanted from the API server.
struct Asked {
  std::string verb;  // of RBAC: "get", "list", "create", "patch", "delete"
  kube::Resource resource = kube::kTrainingJobs;
  std::string subresource = {};  // "log", "scale"
  std::string name_space = {};   // empty: all
  std::string name = {};         // empty: none
};

/// An error message: what was attempted, what is wrong, and what to do about it. No newline at the
/// end. `server` is the address that was asked.
std::string inWords(const kube::Failure& failure, const Asked& asked, const std::string& server);

/// The server does not know the type: the CRD is not installed.
bool isUnknownType(const kube::Failure& failure);

/// `text` on one line and without control characters, as it comes from outside.
std::string oneLine(const std::string& text);

}  // namespace sumac::cli
