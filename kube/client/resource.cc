#include "kube/client/resource.h"

#include "kube/client/http_text.h"

namespace sumac::kube {
namespace {

void append(std::string& path, std::string_view segment) {
  if (segment.empty()) return;
  path += '/' + percentEncoded(segment);
}

}  // namespace

std::string pathOf(const Resource& resource, std::string_view name_space, std::string_view name,
                   std::string_view subresource) {
  const std::size_t slash = resource.group_version.find('/');
  std::string path = slash == std::string_view::npos ? "/api" : "/apis";
  if (slash != std::string_view::npos) append(path, resource.group_version.substr(0, slash));
  append(path, slash == std::string_view::npos ? resource.group_version
                                               : resource.group_version.substr(slash + 1));
  if (!name_space.empty()) {
    append(path, "namespaces");
    append(path, name_space);
  }
  append(path, resource.plural);
  append(path, name);
  append(path, subresource);
  return path;
}

}  // namespace sumac::kube
