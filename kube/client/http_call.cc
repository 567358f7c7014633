#include "kube/client/http_call.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cpprest/streams.h>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "kube/client/http_text.h"
#include "kube/client/tls_context.h"
#include "kube/client/transport.h"

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

class BodyBuffer final : public concurrency::streams::details::streambuf_state_manager<uint8_t> {
 public:
  explicit BodyBuffer(std::shared_ptr<HttpExchange> exchange)
      : streambuf_state_manager<uint8_t>(std::ios_base::out), exchange_(std::move(exchange)) {}

  bool can_seek() const override { return false; }
  bool has_size() const override { return false; }
  size_t buffer_size(std::ios_base::openmode) const override { return 0; }
  void set_buffer_size(size_t, std::ios_base::openmode) override {}
  size_t in_avail() const override { return 0; }
  pos_type getpos(std::ios_base::openmode) const override { return traits::eof(); }
  pos_type seekpos(pos_type, std::ios_base::openmode) override { return traits::eof(); }
  pos_type seekoff(off_type, std::ios_base::seekdir, std::ios_base::openmode) override {
    return traits::eof();
  }
  bool acquire(uint8_t*& pointer, size_t& count) override {
    pointer = nullptr;
    count = 0;
    return false;
  }
  void release(uint8_t*, size_t) override {}

 protected:
  pplx::task<size_t> _putn(const uint8_t* bytes, size_t count) override {
    // The library reads a chunk of "-1" bytes as one of 2^64-1.
    if (count > kMostAnswer) {
      return pplx::task_from_exception<size_t>(std::runtime_error("a chunk has no valid length"));
    }
    const pplx::task_completion_event<size_t> taken;
    const auto resume = [taken, count](bool go_on) {
      if (go_on) {
        taken.set(count);
      } else {
        taken.set_exception(std::runtime_error("the reader has left"));
      }
    };
    const std::string_view view(reinterpret_cast<const char*>(bytes), count);
    switch (exchange_->offer(view, resume)) {
      case HttpExchange::Taken::kContinue: return pplx::task_from_result(count);
      case HttpExchange::Taken::kWaitForResume: return pplx::create_task(taken);
      case HttpExchange::Taken::kRefused: break;
    }
    return pplx::task_from_exception<size_t>(std::runtime_error("the reader has left"));
  }
  pplx::task<int_type> _putc(uint8_t byte) override {
    return _putn(&byte, 1).then([byte](size_t) { return static_cast<int_type>(byte); });
  }

  pplx::task<int_type> _bumpc() override { return nothing(); }
  int_type _sbumpc() override { return traits::eof(); }
  pplx::task<int_type> _getc() override { return nothing(); }
  int_type _sgetc() override { return traits::eof(); }
  pplx::task<int_type> _nextc() override { return nothing(); }
  pplx::task<int_type> _ungetc() override { return nothing(); }
  pplx::task<size_t> _getn(uint8_t*, size_t) override { return pplx::task_from_result<size_t>(0); }
  size_t _scopy(uint8_t*, size_t) override { return 0; }
  pplx::task<bool> _sync() override { return pplx::task_from_result(true); }
  uint8_t* _alloc(size_t) override { return nullptr; }
  void _commit(size_t) override {}

 private:
  static pplx::task<int_type> nothing() { return pplx::task_from_result<int_type>(traits::eof()); }

  std::shared_ptr<HttpExchange> exchange_;
};

/// Where the library writes an answer's body to: hands each piece to the exchange, on a thread of
/// the library's pool. Its writes fail once the exchange's reader has left.
concurrency::streams::ostream bodyStream(std::shared_ptr<HttpExchange> exchange) {
  return concurrency::streams::ostream(
      concurrency::streams::streambuf<uint8_t>(std::make_shared<BodyBuffer>(std::move(exchange))));
}

}  // namespace

void startCall(http_client& client, http_request& request,
               const std::shared_ptr<HttpExchange>& exchange,
               const pplx::cancellation_token& token) try {
  request.set_response_stream(bodyStream(exchange));
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
