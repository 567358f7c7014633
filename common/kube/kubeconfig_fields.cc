#include "common/kube/kubeconfig_fields.h"

#include <utility>

#include "common/kube/base64.h"
#include "common/yaml/scalar.h"

namespace sumac::kube {
namespace {

bool isEmpty(const yaml::Node& node) {
  switch (node.kind) {
    case yaml::Kind::kNull: return true;
    case yaml::Kind::kList: return node.items.empty();
    case yaml::Kind::kMap: return node.fields.empty();
    default: return node.text.empty();
  }
}

std::string named(std::string_view name) {
  return "`" + std::string(name) + "`";
}

}  // namespace

KubeconfigFields::KubeconfigFields(const yaml::Node* node, std::filesystem::path folder,
                                   std::string where, std::vector<std::string>& problems)
    : node_(node), folder_(std::move(folder)), where_(std::move(where)), problems_(&problems) {
  if (node_ != nullptr && node_->kind != yaml::Kind::kMap && !isEmpty(*node_)) {
    refuse("found a " + std::string(toString(node_->kind)) + ", must be a map");
  }
}

const yaml::Node* KubeconfigFields::find(std::string_view name) const {
  const yaml::Node* const found = node_ == nullptr ? nullptr : node_->find(name);
  return found == nullptr || found->kind == yaml::Kind::kNull ? nullptr : found;
}

std::string KubeconfigFields::text(std::string_view name) {
  const yaml::Node* const value = find(name);
  if (value == nullptr) return {};
  if (value->kind == yaml::Kind::kString) return value->text;
  refuse(named(name) + " is a " + std::string(toString(value->kind)) +
         ", must be a string; put it in quotes");
  return {};
}

bool KubeconfigFields::flag(std::string_view name) {
  const yaml::Node* const value = find(name);
  if (value == nullptr) return false;
  const auto boolean = yaml::booleanOf(*value);
  if (!boolean) refuse(named(name) + " must be true or false");
  return boolean.value_or(false);
}

std::filesystem::path KubeconfigFields::path(std::string_view name) {
  const std::string file = text(name);
  return file.empty() ? std::filesystem::path() : relativeTo(folder_, file);
}

std::vector<std::string> KubeconfigFields::texts(std::string_view name) {
  const yaml::Node* const value = find(name);
  if (value == nullptr) return {};
  std::vector<std::string> texts;
  bool is_right = value->kind == yaml::Kind::kList;
  for (const yaml::Node& item : value->items) {
    is_right = is_right && item.kind == yaml::Kind::kString;
    texts.push_back(item.text);
  }
  if (!is_right) refuse(named(name) + " must be a list of strings; put numbers in quotes");
  return texts;
}

PemSource KubeconfigFields::pem(const std::string& name) {
  const std::string data_name = name + "-data";
  PemSource source{.file = path(name), .text = {}};
  const std::string data = text(data_name);
  if (data.empty()) return source;
  if (!source.file.empty()) {
    refuse(named(name) + " and " + named(data_name) + " are both given; keep one of them");
  }
  const auto bytes = fromBase64(data);
  if (!bytes || bytes->find("-----BEGIN ") == std::string::npos) {
    refuse(named(data_name) + " must be base64 of a PEM text (-----BEGIN ...)");
    return source;
  }
  source.text = *bytes;
  return source;
}

KubeconfigFields KubeconfigFields::inner(std::string_view name) const {
  return KubeconfigFields(find(name), folder_, where_ + ", " + named(name), *problems_);
}

void KubeconfigFields::refuse(const std::string& problem) {
  problems_->push_back(where_ + ": " + problem);
}

void KubeconfigFields::refuseField(std::string_view name, const std::string& advice) {
  const yaml::Node* const value = find(name);
  if (value != nullptr && !isEmpty(*value)) {
    refuse(named(name) + " is not supported; " + advice);
  }
}

std::filesystem::path relativeTo(const std::filesystem::path& folder, const std::string& name) {
  return (folder / name).lexically_normal();
}

}  // namespace sumac::kube
