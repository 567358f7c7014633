#include "common/kube/http_call.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <optional>
#include <string>

#include "common/kube/http_text.h"
#include "common/kube/tls_context.h"

namespace sumac::kube {
namespace {

using web::http::http_request;
using web::http::http_response;
using web::http::client::http_client;

// For sockets that were just closed to be let go of.
constexpr std::chrono::seconds kPatienceAtEnd(5);

std::string wordsOf(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const web::http::http_exception& e) {
    const std::string reason = tlsReason(static_cast<unsigned long>(e.error_code().value()));
    return std::string(e.what()) + (reason.empty() ? "" : ": " + reason);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "unknown failure";
  }
}

}  // namespace

void startCall(http_client& client, const http_request& request,
               const std::shared_ptr<HttpExchange>& exchange,
               const pplx::cancellation_token& token) try {
  client.request(request, token).then([exchange](pplx::task<http_response> asked) {
    try {
      http_response response = asked.get();
      const auto after = response.headers().find("Retry-After");
      exchange->setHead(response.status_code(), after == response.headers().end()
                                                    ? std::nullopt
                                                    : retryAfterOf(after->second));
      response.content_ready().then([exchange](pplx::task<http_response> read) {
        try {
          read.get();
          exchange->finish("");
        } catch (...) {
          exchange->finish(wordsOf(std::current_exception()));
        }
      });
    } catch (...) {
      exchange->finish(wordsOf(std::current_exception()));
    }
  });
} catch (...) {
  exchange->finish(wordsOf(std::current_exception()));
}

bool isBeforeSending(std::string_view words) {
  constexpr std::array<std::string_view, 9> kBefore = {"Error resolving address",
                                                       "Failed to resolve address",
                                                       "Failed to connect to any resolved endpoint",
                                                       "Error in SSL handshake",
                                                       "Error resolving proxy address",
                                                       "Failed to connect to any resolved proxy",
                                                       "Failed to send connect request to proxy",
                                                       "Failed to read HTTP status line from proxy",
                                                       "Expected a 200 response from proxy"};
  return std::any_of(kBefore.begin(), kBefore.end(),
                     [words](std::string_view start) { return words.starts_with(start); });
}

std::shared_ptr<HttpExchange> Outstanding::make() {
  const std::lock_guard lock(mutex_);
  ++count_;
  return {new HttpExchange, [self = shared_from_this()](HttpExchange* exchange) {
            delete exchange;
            const std::lock_guard lock_again(self->mutex_);
            --self->count_;
            self->changed_.notify_all();
          }};
}

void Outstanding::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kPatienceAtEnd, [this] { return count_ == 0; });
}

}  // namespace sumac::kube
