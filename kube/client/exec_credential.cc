#include "kube/client/exec_credential.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "kube/client/base64.h"

namespace sumac::kube {
namespace {

using Json = nlohmann::json;

Json clusterInfo(const KubeconfigCluster& cluster, const std::string& ca) {
  Json info = {{"server", cluster.server}};
  if (!cluster.tls_server_name.empty()) info["tls-server-name"] = cluster.tls_server_name;
  if (cluster.insecure) info["insecure-skip-tls-verify"] = true;
  if (!cluster.proxy_url.empty()) info["proxy-url"] = cluster.proxy_url;
  if (!ca.empty()) info["certificate-authority-data"] = toBase64(ca);
  Json extension = Json::parse(cluster.exec_extension, nullptr, /*allow_exceptions=*/false);
  info["config"] = extension.is_discarded() ? Json() : std::move(extension);
  return info;
}

/// A string of `status`; empty where there is none.
Result<std::string> credentialText(const Json& status, const char* name) {
  const auto found = status.find(name);
  if (found == status.end() || found->is_null()) return std::string();
  if (found->is_string()) return found->get<std::string>();
  return Error{ErrorCode::kInvalid, "its status." + std::string(name) + " must be a string"};
}

bool fitsHeader(const std::string& token) {
  return std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

bool isText(const Json& object, const char* name, const std::string& value) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() && found->get<std::string>() == value;
}

Result<ExecCredential> readStatus(const Json& status) {
  ExecCredential credential;
  std::string expires;
  const std::pair<const char*, std::string*> fields[] = {
      {"token", &credential.token},
      {"clientCertificateData", &credential.certificate},
      {"clientKeyData", &credential.key},
      {"expirationTimestamp", &expires}};
  for (const auto& [name, to] : fields) {
    auto text = credentialText(status, name);
    if (!text) return text.error();
    *to = *std::move(text);
  }
  if (!expires.empty()) {
    const auto time = parseRfc3339(expires);
    if (!time) return time.error().within("its status.expirationTimestamp");
    credential.expires = *time;
  }
  return credential;
}

Result<void> checkCredential(const ExecCredential& credential) {
  if (credential.certificate.empty() != credential.key.empty()) {
    return Error{ErrorCode::kInvalid,
                 "it gave only one of clientCertificateData and clientKeyData"};
  }
  if (credential.token.empty() && credential.certificate.empty()) {
    return Error{ErrorCode::kInvalid, "it gave neither a token nor a client certificate"};
  }
  if (!fitsHeader(credential.token)) {
    return Error{ErrorCode::kInvalid, "its token holds spaces or control characters"};
  }
  return {};
}

}  // namespace

std::string execInfo(const ExecSpec& exec, const KubeconfigCluster& cluster, const std::string& ca,
                     bool is_interactive) {
  Json spec = {{"interactive", is_interactive}};
  if (exec.provide_cluster_info) spec["cluster"] = clusterInfo(cluster, ca);
  const Json info = {
      {"kind", "ExecCredential"}, {"apiVersion", exec.api_version}, {"spec", std::move(spec)}};
  return info.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<ExecCredential> parseExecCredential(std::string_view output, const ExecSpec& exec) {
  const Json object = Json::parse(output, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object() || !isText(object, "kind", "ExecCredential")) {
    return Error{ErrorCode::kInvalid, "it did not print an ExecCredential as JSON"};
  }
  if (!isText(object, "apiVersion", exec.api_version)) {
    return Error{ErrorCode::kInvalid,
                 "it printed another apiVersion than " + exec.api_version +
                     ", which the kubeconfig says; write the kubeconfig again with its tool"};
  }
  const auto status = object.find("status");
  if (status == object.end() || !status->is_object()) {
    return Error{ErrorCode::kInvalid, "it printed no status"};
  }
  auto credential = readStatus(*status);
  if (!credential) return credential.error();
  if (const auto checked = checkCredential(*credential); !checked) return checked.error();
  return credential;
}

}  // namespace sumac::kube
