#pragma once

#include <condition_variable>
#include <cpprest/http_client.h>
#include <memory>
#include <mutex>
#include <string_view>

#include "kube/client/http_exchange.h"

namespace sumac::kube {

/// Starts a request, which is a handle; all that follows goes to the exchange, its failure to start
/// included. What the library does for it runs in the library's pool, and throws nothing there: an
/// exception that nobody looks at would end the process.
void startCall(web::http::client::http_client& client, web::http::http_request& request,
               const std::shared_ptr<HttpExchange>& exchange,
               const pplx::cancellation_token& token);

/// Whether these words of the library say that it had no connection to write the request to. Its
/// error codes do not tell.
bool isBeforeSending(std::string_view words);

/// Counts the exchanges that the library still holds, so that none is under way when main ends. Any
/// thread.
class Outstanding : public std::enable_shared_from_this<Outstanding> {
 public:
  std::shared_ptr<HttpExchange> make();

  /// Until there are none, or patience ends: the sockets of the last were just closed.
  void wait();

 private:
  std::mutex mutex_;  // guards the following
  std::condition_variable changed_;
  int count_ = 0;
};

}  // namespace sumac::kube
