#pragma once

#include <cpprest/streams.h>
#include <memory>

#include "common/kube/http_exchange.h"

namespace sumac::kube {

/// Where the HTTP library writes an answer's body to: hands each piece to the exchange, on a thread
/// of the library's pool. Its writes fail once the exchange's reader has left.
concurrency::streams::ostream bodyStream(std::shared_ptr<HttpExchange> exchange);

}  // namespace sumac::kube
