#include "base/telemetry/http_get.h"

#include <optional>
#include <string_view>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include "base/core/version.h"

namespace sumac {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using Failure = boost::system::error_code;

constexpr std::uint32_t kMostHeader = 8U << 10;  // bytes of an answer

/// One question and its answer, on the thread that runs `context`.
class Exchange {
 public:
  Exchange(asio::io_context& context, const HttpGetRequest& request)
      : stream_(context), path_(request.path) {
    parser_.header_limit(kMostHeader);
    parser_.body_limit(request.most_bytes);
    question_.method(http::verb::get);
    question_.target(path_);
    question_.set(http::field::host, request.from.text());
    question_.set(http::field::user_agent, std::string("sumac/") + kVersion);
    question_.keep_alive(false);
    stream_.expires_after(request.timeout);  // one deadline for all that follows
    stream_.async_connect({asio::ip::make_address(request.from.host), request.from.port},
                          [this](Failure failure) { onConnected(failure); });
  }

  void cancel() {
    failure_ = asio::error::operation_aborted;
    stream_.close();
  }

  const Failure& failure() const { return failure_; }
  HttpAnswer answer() {
    auto message = parser_.release();
    const auto type = message[http::field::content_type];
    return {static_cast<int>(message.result_int()), std::string(type.data(), type.size()),
            std::move(message.body())};
  }

 private:
  void onConnected(Failure failure) {
    if (failure) return end(failure);
    http::async_write(stream_, question_, [this](Failure why, std::size_t) { onAsked(why); });
  }

  void onAsked(Failure failure) {
    if (failure) return end(failure);
    // Beast 1.74 forgets that a Content-Length is too large where the header is read with the body.
    http::async_read_header(stream_, buffer_, parser_,
                            [this](Failure why, std::size_t) { onHeader(why); });
  }

  void onHeader(Failure failure) {
    if (failure) return end(failure);
    http::async_read(stream_, buffer_, parser_, [this](Failure why, std::size_t) { end(why); });
  }

  void end(Failure failure) {
    if (!failure_) failure_ = failure;
  }

  beast::tcp_stream stream_;
  std::string path_;
  http::request<http::empty_body> question_;
  http::response_parser<http::string_body> parser_;
  beast::flat_buffer buffer_{2 * kMostHeader};
  Failure failure_;
};

Error errorOf(const Failure& failure, const HttpGetRequest& request) {
  const std::string what = "GET http://" + request.from.text() + request.path + ": ";
  if (failure == http::error::body_limit) {
    return {ErrorCode::kInvalid,
            what + "the answer is longer than " + std::to_string(request.most_bytes) + " bytes"};
  }
  if (failure == beast::error::timeout) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(request.timeout).count();
    return {ErrorCode::kUnavailable, what + "no answer in " + std::to_string(ms) + " ms"};
  }
  const bool is_no_http = failure.category() == make_error_code(http::error()).category() &&
                          failure != http::error::end_of_stream;
  return {is_no_http ? ErrorCode::kInvalid : ErrorCode::kUnavailable, what + failure.message()};
}

}  // namespace

Result<HttpAnswer> httpGet(const HttpGetRequest& request, const std::stop_token& stop) {
  try {
    asio::io_context context(1);
    Exchange exchange(context, request);
    const std::stop_callback cancel(
        stop, [&] { asio::post(context, [&exchange] { exchange.cancel(); }); });
    context.run();
    if (exchange.failure()) return errorOf(exchange.failure(), request);
    return exchange.answer();
  } catch (const boost::system::system_error& failure) {
    return errorOf(failure.code(), request);
  }
}

}  // namespace sumac
