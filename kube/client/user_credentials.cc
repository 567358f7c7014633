#include "kube/client/user_credentials.h"

#include <utility>

#include "base/core/file.h"

namespace sumac::kube {
namespace {

constexpr std::uint64_t kMostCredential = std::uint64_t{1} << 20U;

Result<std::string> readPem(const PemSource& source, const std::string& what) {
  if (source.file.empty()) return source.text;
  auto text = readTextFile(source.file, kMostCredential);
  if (!text) return text.error().within(what);
  if (text->find("-----BEGIN ") != std::string::npos) return text;
  return Error{ErrorCode::kInvalid,
               what + ": " + source.file.string() + " holds no PEM text (-----BEGIN ...)"};
}

}  // namespace

UserCredentials::UserCredentials(KubeconfigCluster cluster, KubeconfigUser user,
                                 const Environment& environment, const Log& log)
    : cluster_(std::move(cluster)), user_(std::move(user)) {
  if (!user_.token_file.empty()) {
    token_file_ = std::make_unique<TokenFile>(user_.token_file, environment.clock, log);
  }
  if (user_.exec) plugin_ = std::make_unique<ExecPlugin>(*user_.exec, cluster_, environment);
}

Result<std::string> UserCredentials::token() {
  if (!isSecret()) return std::string();
  if (token_file_ != nullptr) {
    auto token = token_file_->token();
    if (token || user_.token.empty()) return token;
  }
  if (plugin_ == nullptr) return user_.token;
  const auto ca = readPem(cluster_.ca, "the CA of cluster `" + cluster_.name + "`");
  if (!ca) return ca.error();
  const auto credential = plugin_->credential(*ca);
  if (!credential) return credential.error();
  return credential->token;
}

Result<TlsMaterial> UserCredentials::filesOnly() const {
  TlsMaterial material;
  material.insecure = cluster_.insecure;
  auto ca = readPem(cluster_.ca, "the CA of cluster `" + cluster_.name + "`");
  if (!ca) return ca.error();
  material.ca = *std::move(ca);
  auto certificate = readPem(user_.certificate, "the certificate of user `" + user_.name + "`");
  if (!certificate) return certificate.error();
  material.certificate = *std::move(certificate);
  auto key = readPem(user_.key, "the key of user `" + user_.name + "`");
  if (!key) return key.error();
  material.key = *std::move(key);
  return material;
}

Result<TlsMaterial> UserCredentials::tls() {
  auto material = filesOnly();
  if (!material || plugin_ == nullptr || !isSecret()) return material;
  auto credential = plugin_->credential(material->ca);
  if (!credential) return credential.error();
  material->certificate = std::move(credential->certificate);
  material->key = std::move(credential->key);
  return material;
}

bool UserCredentials::refresh() {
  if (token_file_ != nullptr) token_file_->forget();
  if (plugin_ != nullptr) plugin_->forget();
  // Client certificates in files are read again too, for a new connection.
  return token_file_ != nullptr || plugin_ != nullptr || !user_.certificate.file.empty();
}

}  // namespace sumac::kube
