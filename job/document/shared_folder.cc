#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "job/document/field.h"
#include "job/document/json.h"
#include "job/document/rule_tools.h"

namespace sumac::job::internal {

namespace {

using yaml::Node;

/// The folder of a section that has a volume, as a container sees it and with a slash at its end;
/// "" if there is none.
std::string folderOf(const Node* section) {
  if (section == nullptr || !has(*section, "volume")) return "";
  std::string path(textOf(*section, "path"));
  if (path.empty()) return "";
  while (!path.empty() && path.back() == '/')
    path.pop_back();
  return (path.starts_with('/') ? "" : "/") + path + "/";
}

nlohmann::json volumeOf(const Node& section) {
  return toJson(*section.find("volume"));
}

bool mayShare(const Node& self, std::string_view one, std::string_view other) {
  const Node* const a = self.find(one);
  const Node* const b = self.find(other);
  const std::string in_a = folderOf(a);
  const std::string in_b = folderOf(b);
  if (in_a.empty() || in_b.empty()) return true;
  return (!in_a.starts_with(in_b) && !in_b.starts_with(in_a)) || volumeOf(*a) == volumeOf(*b);
}

/// The folder in CEL, with a slash at each end. Kubernetes 1.29 has no way to remove slashes that
/// are too many: the reader sees these.
std::string celFolder(const std::string& section) {
  const std::string path = "self." + section + ".path";
  return "((" + path + ".startsWith('/') ? '' : '/') + " + path + " + '/')";
}

Rule sharing(const std::string& one, const std::string& other,
             bool (*holds)(const yaml::Node& self)) {
  const auto isAbsent = [](const std::string& section) {
    return "!has(self." + section + ") || !has(self." + section + ".volume) || ";
  };
  // data has a path only with a format.
  const std::string no_path = other == "data" ? "!has(self.data.path) || " : "";
  const std::string a = celFolder(one);
  const std::string b = celFolder(other);
  return {.cel = isAbsent(one) + isAbsent(other) + no_path + "dyn(self." + one +
                 ".volume) == dyn(self." + other + ".volume) || !(" + a + ".startsWith(" + b +
                 ") || " + b + ".startsWith(" + a + "))",
          .message = one + ".path and " + other +
                     ".path are the same folder, or one is in the other, on different volumes: "
                     "what is written to one of them could be lost; choose separate folders, or "
                     "give both the same volume with the same subPath",
          .holds = holds,
          .about = one + ".path"};
}

}  // namespace

std::vector<Rule> sharedFolderRules() {
  return {
      sharing("checkpoint", "output",
              [](const Node& self) { return mayShare(self, "checkpoint", "output"); }),
      sharing("checkpoint", "data",
              [](const Node& self) { return mayShare(self, "checkpoint", "data"); }),
      sharing("output", "data", [](const Node& self) { return mayShare(self, "output", "data"); })};
}

}  // namespace sumac::job::internal
