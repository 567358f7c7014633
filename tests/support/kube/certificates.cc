#include "tests/support/kube/certificates.h"

#include <memory>
#include <stdexcept>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

namespace sumac::fake {
namespace {

template <auto Free>
struct Freed {
  template <typename T>
  void operator()(T* pointer) const {
    Free(pointer);
  }
};

using BioPtr = std::unique_ptr<BIO, Freed<BIO_free_all>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using X509Ptr = std::unique_ptr<X509, Freed<X509_free>>;
using ExtensionPtr = std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION_free>>;

constexpr long kValidSeconds = 24L * 3600L;

void require(bool condition, const char* what) {
  if (!condition) throw std::runtime_error(std::string("OpenSSL cannot ") + what);
}

std::string textOf(const BioPtr& bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

void extend(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const ExtensionPtr extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  require(extension != nullptr, "make an extension");
  X509_add_ext(certificate, extension.get(), -1);
}

X509Ptr begun(const std::string& name, EVP_PKEY* key) {
  X509Ptr certificate(X509_new());
  X509_set_version(certificate.get(), 2);
  std::int64_t serial = 0;
  RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof(serial));
  ASN1_INTEGER_set_int64(X509_get_serialNumber(certificate.get()), serial & 0x7fffffffffff);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -kValidSeconds);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), kValidSeconds);
  X509_set_pubkey(certificate.get(), key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  return certificate;
}

/// The certificate and key of an authority.
struct Signer {
  explicit Signer(const Certificate& authority) {
    const BioPtr ca_bio(BIO_new_mem_buf(authority.pem.data(), -1));
    const BioPtr key_bio(BIO_new_mem_buf(authority.key.data(), -1));
    certificate.reset(PEM_read_bio_X509(ca_bio.get(), nullptr, nullptr, nullptr));
    key.reset(PEM_read_bio_PrivateKey(key_bio.get(), nullptr, nullptr, nullptr));
    require(certificate != nullptr && key != nullptr, "read the authority");
  }

  X509Ptr certificate;
  KeyPtr key;
};

Certificate written(X509* certificate, EVP_PKEY* key) {
  const BioPtr pem(BIO_new(BIO_s_mem()));
  const BioPtr secret(BIO_new(BIO_s_mem()));
  require(PEM_write_bio_X509(pem.get(), certificate) == 1, "write a certificate");
  require(PEM_write_bio_PrivateKey(secret.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1,
          "write a key");
  return {textOf(pem), textOf(secret)};
}

}  // namespace

Certificate makeAuthority(const std::string& name) {
  const KeyPtr key(EVP_EC_gen("P-256"));
  require(key != nullptr, "make a key");
  const X509Ptr certificate = begun(name, key.get());
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(certificate.get()));
  extend(certificate.get(), certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
  extend(certificate.get(), certificate.get(), NID_key_usage, "critical,keyCertSign");
  require(X509_sign(certificate.get(), key.get(), EVP_sha256()) > 0, "sign");
  return written(certificate.get(), key.get());
}

Certificate makeIntermediate(const Certificate& authority, const std::string& name) {
  const Signer signer(authority);
  const KeyPtr key(EVP_EC_gen("P-256"));
  require(key != nullptr, "make a key");
  const X509Ptr certificate = begun(name, key.get());
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(signer.certificate.get()));
  extend(certificate.get(), signer.certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
  extend(certificate.get(), signer.certificate.get(), NID_key_usage, "critical,keyCertSign");
  require(X509_sign(certificate.get(), signer.key.get(), EVP_sha256()) > 0, "sign");
  return written(certificate.get(), key.get());
}

Certificate issue(const Certificate& authority, const std::string& name,
                  const std::vector<std::string>& dns_names,
                  const std::vector<std::string>& addresses) {
  const Signer signer(authority);
  const X509Ptr& ca = signer.certificate;
  const KeyPtr& ca_key = signer.key;
  const KeyPtr key(EVP_EC_gen("P-256"));
  require(key != nullptr, "make a key");
  const X509Ptr certificate = begun(name, key.get());
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(ca.get()));
  const bool is_client = dns_names.empty() && addresses.empty();
  extend(certificate.get(), ca.get(), NID_ext_key_usage, is_client ? "clientAuth" : "serverAuth");
  std::string names;
  for (const auto& dns : dns_names)
    names += (names.empty() ? "DNS:" : ",DNS:") + dns;
  for (const auto& address : addresses)
    names += (names.empty() ? "IP:" : ",IP:") + address;
  if (!names.empty()) extend(certificate.get(), ca.get(), NID_subject_alt_name, names);
  require(X509_sign(certificate.get(), ca_key.get(), EVP_sha256()) > 0, "sign");
  return written(certificate.get(), key.get());
}

}  // namespace sumac::fake
