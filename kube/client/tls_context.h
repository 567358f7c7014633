#pragma once

#include <string>

#include "base/core/result.h"
#include "kube/client/credentials.h"

struct ssl_ctx_st;  // OpenSSL's SSL_CTX

namespace sumac::kube {

/// Makes a new TLS context trust what `material` says and nothing else, and present its client
/// certificate; TLS 1.2 at least. All from memory. Fails with kInvalid, naming what could not be
/// read; the context is then to be thrown away.
Result<void> applyTls(const TlsMaterial& material, ssl_ctx_st* context);

/// What OpenSSL says about one of its packed error numbers: "certificate verify failed"; empty
/// where it is none.
std::string tlsReason(unsigned long code);

}  // namespace sumac::kube
