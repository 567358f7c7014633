#include "kube/client/tls_context.h"

#include <memory>
#include <vector>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

namespace sumac::kube {
namespace {

template <auto Free>
struct Freed {
  template <typename T>
  void operator()(T* pointer) const {
    Free(pointer);
  }
};

using BioPtr = std::unique_ptr<BIO, Freed<BIO_free_all>>;
using CertificatePtr = std::unique_ptr<X509, Freed<X509_free>>;
using StorePtr = std::unique_ptr<X509_STORE, Freed<X509_STORE_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;

Error unreadable(const std::string& what) {
  const std::string reason = tlsReason(ERR_peek_last_error());
  ERR_clear_error();
  return Error{ErrorCode::kInvalid, what + (reason.empty() ? "" : ": " + reason)};
}

std::vector<CertificatePtr> certificatesOf(const std::string& pem) {
  const BioPtr bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  std::vector<CertificatePtr> certificates;
  while (X509* certificate = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)) {
    certificates.emplace_back(certificate);
  }
  return certificates;
}

Result<void> trustOnly(const std::string& ca, SSL_CTX* context) {
  StorePtr store(X509_STORE_new());
  const auto authorities = certificatesOf(ca);
  if (authorities.empty()) return unreadable("the cluster's CA is not a PEM certificate");
  ERR_clear_error();  // the end of the PEM text counts as one
  for (const auto& authority : authorities) {
    if (X509_STORE_add_cert(store.get(), authority.get()) != 1) {
      return unreadable("the cluster's CA cannot be trusted");
    }
  }
  // What the file has is trusted as it is, an intermediate authority too, as kubectl does.
  X509_STORE_set_flags(store.get(), X509_V_FLAG_PARTIAL_CHAIN);
  SSL_CTX_set_cert_store(context, store.release());  // frees the store with the system's CAs
  return {};
}

Result<void> presentCertificate(const TlsMaterial& material, SSL_CTX* context) {
  auto chain = certificatesOf(material.certificate);
  if (chain.empty()) return unreadable("the client certificate is not in PEM format");
  ERR_clear_error();
  if (SSL_CTX_use_certificate(context, chain.front().get()) != 1) {
    return unreadable("the client certificate cannot be used");
  }
  for (std::size_t i = 1; i < chain.size(); ++i) {
    if (SSL_CTX_add1_chain_cert(context, chain[i].get()) != 1) {
      return unreadable("the client certificate's chain cannot be used");
    }
  }
  const BioPtr bio(BIO_new_mem_buf(material.key.data(), static_cast<int>(material.key.size())));
  // A password is never asked for at the terminal: an encrypted key is an error.
  const auto no_password = [](char*, int, int, void*) { return 0; };
  const KeyPtr key(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_password, nullptr));
  if (!key) return unreadable("the client key is not an unencrypted private key in PEM format");
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1) {
    return unreadable("the client key does not belong to the client certificate");
  }
  return {};
}

}  // namespace

Result<void> applyTls(const TlsMaterial& material, SSL_CTX* context) {
  ERR_clear_error();
  if (SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1) {
    return unreadable("TLS 1.2 cannot be required");
  }
  if (!material.ca.empty()) {
    if (auto trusted = trustOnly(material.ca, context); !trusted) return trusted;
  }
  if (!material.certificate.empty()) return presentCertificate(material, context);
  return {};
}

std::string tlsReason(unsigned long code) {
  const char* reason = ERR_reason_error_string(code);
  return reason == nullptr ? "" : reason;
}

}  // namespace sumac::kube
