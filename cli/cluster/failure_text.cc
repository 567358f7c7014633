#include "cli/cluster/failure_text.h"

namespace sumac::cli {
namespace {

std::string groupOf(const kube::Resource& resource) {
  const auto slash = resource.group_version.find('/');
  return slash == resource.group_version.npos
             ? std::string()
             : std::string(resource.group_version.substr(0, slash));
}

/// "trainingjobs.sumac.dev/scale", as `kubectl auth can-i` takes it.
std::string typeOf(const Asked& asked) {
  std::string type(asked.resource.plural);
  if (const std::string group = groupOf(asked.resource); !group.empty()) type += "." + group;
  return asked.subresource.empty() ? type : type + "/" + asked.subresource;
}

std::string placeOf(const Asked& asked) {
  return asked.name_space.empty() ? "in all namespaces" : "in namespace " + asked.name_space;
}

std::string objectOf(const Asked& asked) {
  const std::string kind(asked.resource.kind);
  if (asked.name.empty()) return kind + "s " + placeOf(asked);
  return kind + " " + asked.name_space + "/" + asked.name;
}

std::string forbidden(const kube::Failure& failure, const Asked& asked) {
  const std::string scope = asked.name_space.empty() ? "-A" : "-n " + asked.name_space;
  return "you may not " + asked.verb + " " + typeOf(asked) + " " + placeOf(asked) + ".\n" +
         "Ask for a Role with the verb " + asked.verb + " on " + typeOf(asked) +
         "; `kubectl auth can-i " + asked.verb + " " + typeOf(asked) + " " + scope +
         "` says whether you have it.\nThe server said: " + oneLine(failure.message);
}

}  // namespace

bool isUnknownType(const kube::Failure& failure) {
  return failure.isNotFound() &&
         (failure.message.find("could not find the requested resource") != std::string::npos ||
          failure.message.find("page not found") != std::string::npos);
}

std::string inWords(const kube::Failure& failure, const Asked& asked, const std::string& server) {
  if (isUnknownType(failure)) {
    return "the cluster at " + server + " does not know " + typeOf(asked) +
           ": Sumac is not installed there.\nInstall it with `kubectl apply -k deploy`, or choose "
           "another cluster with --context.";
  }
  if (failure.isNotFound()) {
    return objectOf(asked) + " does not exist; `sumac get -A` lists all jobs.";
  }
  if (failure.status == 401) {
    return "the cluster at " + server +
           " does not accept your credentials; log in again, or choose another --context or --user."
           "\nThe server said: " +
           oneLine(failure.message);
  }
  if (failure.isForbidden()) return forbidden(failure, asked);
  if (failure.status == 0) {
    return "no answer from the cluster at " + server +
           "; is it running, and is this the right --context?\n" + oneLine(failure.message);
  }
  return "cannot " + asked.verb + " " + objectOf(asked) + ": " + oneLine(failure.message);
}

std::string oneLine(const std::string& text) {
  std::string line;
  bool is_gap = false;  // control characters, and the indentation that follows them
  for (const char c : text) {
    const bool is_control = static_cast<unsigned char>(c) < 0x20U || c == '\x7f';
    is_gap = is_control || (is_gap && c == ' ');
    if (!is_gap)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  return line;
}

}  // namespace sumac::cli
