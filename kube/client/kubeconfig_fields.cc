#include "kube/client/kubeconfig_fields.h"

#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/yaml/scalar.h"
#include "job/document/json.h"
#include "kube/client/base64.h"
#include "kube/client/proxy.h"

namespace sumac::kube {
namespace {

/// `name`, relative to `folder`.
std::filesystem::path relativeTo(const std::filesystem::path& folder, const std::string& name) {
  return (folder / name).lexically_normal();
}

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

constexpr std::string_view kExecExtension = "client.authentication.k8s.io/exec";
constexpr std::string_view kExecBeta = "client.authentication.k8s.io/v1beta1";
constexpr std::string_view kExecStable = "client.authentication.k8s.io/v1";

/// What no URL of a server may hold: user names, queries, fragments, white space.
bool isServerUrl(std::string_view url) {
  const bool is_https = url.starts_with("https://");
  if (!is_https && !url.starts_with("http://")) return false;
  const std::string_view rest = url.substr(is_https ? 8 : 7);
  const std::string_view host = rest.substr(0, rest.find('/'));
  if (host.empty() || host.find('@') != host.npos) return false;
  return rest.find_first_of("?# \t\r\n\"\\") == rest.npos;
}

std::string readServer(KubeconfigFields& fields) {
  const std::string given = fields.text("server");
  std::string server = given;
  while (server.ends_with('/'))
    server.pop_back();
  if (server.empty()) {
    fields.refuse("`server` is missing; it is the API server's address, as https://10.0.0.1:6443");
  } else if (!isServerUrl(server)) {
    // What has an @ may have a password.
    const std::string found =
        given.find('@') == given.npos ? "found `" + given + "`" : "without a user or a password";
    fields.refuse("`server` must be an address as https://10.0.0.1:6443, " + found);
  }
  return server;
}

/// The `extension` that a list of {name, extension} has for exec plugins, as JSON.
std::string readExtension(const KubeconfigFields& fields) {
  const yaml::Node* const list = fields.find("extensions");
  if (list == nullptr) return {};
  for (const yaml::Node& entry : list->items) {
    const yaml::Node* const name = entry.find("name");
    const yaml::Node* const extension = entry.find("extension");
    if (name != nullptr && name->text == kExecExtension && extension != nullptr) {
      return job::toJson(*extension).dump();
    }
  }
  return {};
}

InteractiveMode readInteractive(KubeconfigFields& fields, std::string_view version) {
  constexpr std::array<std::pair<std::string_view, InteractiveMode>, 3> kModes = {
      {{"Never", InteractiveMode::kNever},
       {"IfAvailable", InteractiveMode::kIfAvailable},
       {"Always", InteractiveMode::kAlways}}};
  const std::string text = fields.text("interactiveMode");
  for (const auto& [name, mode] : kModes) {
    if (text == name) return mode;
  }
  if (!text.empty() || version == kExecStable) {
    fields.refuse("`interactiveMode` must be Never, IfAvailable or Always");
  }
  return InteractiveMode::kIfAvailable;
}

void readVariables(KubeconfigFields& fields, ExecSpec& exec) {
  const yaml::Node* const list = fields.find("env");
  if (list == nullptr) return;
  bool is_right = list->kind == yaml::Kind::kList;
  for (const yaml::Node& entry : list->items) {
    const yaml::Node* const name = entry.find("name");
    const yaml::Node* const value = entry.find("value");
    is_right = is_right && name != nullptr && name->kind == yaml::Kind::kString &&
               !name->text.empty() && name->text.find('=') == std::string::npos &&
               value != nullptr && value->kind == yaml::Kind::kString;
    if (is_right) exec.variables.emplace_back(name->text, value->text);
  }
  if (!is_right) fields.refuse("`env` must be a list of {name: TEXT, value: TEXT}");
}

ExecSpec readExec(KubeconfigFields fields) {
  ExecSpec exec;
  exec.api_version = fields.text("apiVersion");
  if (exec.api_version != kExecBeta && exec.api_version != kExecStable) {
    fields.refuse("`apiVersion` must be " + std::string(kExecBeta) + " or " +
                  std::string(kExecStable) + ", found " +
                  (exec.api_version.empty() ? "nothing" : named(exec.api_version)) +
                  "; newer versions of the plugin's tool write one of these");
  }
  exec.command = fields.text("command");
  if (exec.command.empty()) fields.refuse("`command` is missing");
  if (exec.command.find('/') != std::string::npos) {
    exec.command = relativeTo(fields.folder(), exec.command).string();
  }
  exec.arguments = fields.texts("args");
  readVariables(fields, exec);
  exec.install_hint = fields.text("installHint");
  exec.provide_cluster_info = fields.flag("provideClusterInfo");
  exec.interactive = readInteractive(fields, exec.api_version);
  return exec;
}

void refuseOtherMethods(KubeconfigFields& fields) {
  for (const std::string_view name : {"username", "password"}) {
    fields.refuseField(name,
                       "API servers have no passwords since 1.19: use a token, a client "
                       "certificate or an exec plugin");
  }
  for (const std::string_view name : {"as", "as-uid", "as-groups", "as-user-extra"}) {
    fields.refuseField(name, "acting as someone else is not done here: take a user of its own");
  }
  fields.refuseField("auth-provider",
                     "it is gone from Kubernetes since 1.26: use an exec plugin (on GKE install "
                     "gke-gcloud-auth-plugin and run `gcloud container clusters get-credentials`)");
}

}  // namespace

KubeconfigFields::KubeconfigFields(const yaml::Node* node, std::filesystem::path folder,
                                   std::string where, std::vector<std::string>& problems)
    : node_(node), folder_(std::move(folder)), where_(std::move(where)), problems_(&problems) {
  if (node_ != nullptr && node_->kind != yaml::Kind::kMap && !isEmpty(*node_)) {
    refuse("found " + std::string(toString(node_->kind)) + ", must be a map");
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
  refuse(named(name) + " is " + std::string(toString(value->kind)) +
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

KubeconfigCluster readCluster(KubeconfigFields& fields) {
  KubeconfigCluster cluster;
  cluster.server = readServer(fields);
  cluster.tls_server_name = fields.text("tls-server-name");
  cluster.ca = fields.pem("certificate-authority");
  cluster.insecure = fields.flag("insecure-skip-tls-verify");
  cluster.exec_extension = readExtension(fields);
  if (cluster.insecure && !cluster.ca.empty()) {
    fields.refuse(
        "`insecure-skip-tls-verify` is given together with a certificate-authority; "
        "take one of them out");
  }
  cluster.proxy_url = fields.text("proxy-url");
  if (const auto proxy = readProxy(cluster.proxy_url); !cluster.proxy_url.empty() && !proxy) {
    fields.refuse("`proxy-url` " + proxy.error().message);
  }
  return cluster;
}

KubeconfigUser readUser(KubeconfigFields& fields) {
  KubeconfigUser user;
  user.token = fields.text("token");
  user.token_file = fields.path("tokenFile");
  user.certificate = fields.pem("client-certificate");
  user.key = fields.pem("client-key");
  if (user.certificate.empty() != user.key.empty()) {
    fields.refuse("client-certificate and client-key only work together; one of them is missing");
  }
  refuseOtherMethods(fields);
  if (fields.find("exec") == nullptr) return user;
  ExecSpec exec = readExec(fields.inner("exec"));
  const bool has_other =
      !user.token.empty() || !user.token_file.empty() || !user.certificate.empty();
  if (!has_other) user.exec = std::move(exec);
  return user;
}

}  // namespace sumac::kube
