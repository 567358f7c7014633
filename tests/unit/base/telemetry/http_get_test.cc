#include "base/telemetry/http_get.h"

#include <functional>
#include <string>
#include <thread>

#include <boost/test/unit_test.hpp>

#include "base/telemetry/http_server.h"
#include "tests/support/ipv6.h"
#include "tests/unit/base/telemetry/raw_client.h"

namespace sumac::http_get_test {
namespace {

/// A server that takes one connection and says what it likes.
class Misbehaving {
 public:
  explicit Misbehaving(std::function<void(const RawSocket&)> talk)
      : address_{"127.0.0.1", listening_.listen()}, thread_([this, talk = std::move(talk)] {
          const RawSocket client = listening_.accepted();
          client.readUntil("\r\n\r\n");
          talk(client);
        }) {}

  const Address& address() const { return address_; }

 private:
  RawSocket listening_ = RawSocket::open();
  Address address_;
  std::jthread thread_;
};

Result<HttpAnswer> answerTo(const std::string& text) {
  const Misbehaving server([&](const RawSocket& client) { client.write(text); });
  return httpGet({server.address(), "/progress"}, {});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(http_get, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(gets_what_a_server_answers) {
  HttpServer::Routes routes;
  routes["/progress"] = [] { return HttpAnswer{503, "application/json", R"({"step":1})"}; };
  const auto server = HttpServer::start({"127.0.0.1:0"}, std::move(routes), Log::discarding());
  BOOST_REQUIRE(server);

  const auto answer = httpGet({*parseAddress((*server)->address()), "/progress"}, {});

  BOOST_REQUIRE(answer);
  BOOST_TEST(answer->status == 503);
  BOOST_TEST(answer->content_type == "application/json");
  BOOST_TEST(answer->body == R"({"step":1})");
}

BOOST_AUTO_TEST_CASE(gets_it_over_ipv6, *boost::unit_test::precondition(hasIpv6)) {
  HttpServer::Routes routes;
  routes["/progress"] = [] { return HttpAnswer{200, "text/plain", "ok"}; };
  // The last is what a pod with an IPv6 address makes of $(SUMAC_POD_IP):PORT.
  for (const char* listen : {"[::1]:0", ":0", "::1:0"}) {
    const auto server = HttpServer::start({listen}, routes, Log::discarding());
    BOOST_REQUIRE(server);

    const auto address = parseAddress((*server)->address());

    BOOST_TEST((*server)->address().starts_with("[::"));
    BOOST_TEST(bool(httpGet({{"::1", address->port}, "/progress"}, {})));
  }
}

BOOST_AUTO_TEST_CASE(gets_it_over_ipv4_from_a_server_at_all_addresses) {
  HttpServer::Routes routes;
  routes["/progress"] = [] { return HttpAnswer{200, "text/plain", "ok"}; };
  const auto server = HttpServer::start({":0"}, std::move(routes), Log::discarding());
  BOOST_REQUIRE(server);

  const auto answer =
      httpGet({{"127.0.0.1", parseAddress((*server)->address())->port}, "/progress"}, {});

  BOOST_TEST(bool(answer));
}

BOOST_AUTO_TEST_CASE(reads_a_body_until_the_server_closes) {
  const auto answer = answerTo("HTTP/1.1 200 OK\r\n\r\nto the end");

  BOOST_REQUIRE(answer);
  BOOST_TEST(answer->body == "to the end");
}

BOOST_AUTO_TEST_CASE(does_not_follow_a_redirect) {
  const auto answer =
      answerTo("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n");

  BOOST_REQUIRE(answer);
  BOOST_TEST(answer->status == 302);
}

BOOST_AUTO_TEST_CASE(refuses_an_answer_that_is_longer_than_allowed) {
  const std::string long_body(70000, 'a');
  const auto told = answerTo("HTTP/1.1 200 OK\r\nContent-Length: 70000\r\n\r\n" + long_body);
  const auto untold = answerTo("HTTP/1.1 200 OK\r\n\r\n" + long_body);
  const auto chunked = answerTo("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n11170\r\n" +
                                long_body + "\r\n0\r\n\r\n");

  for (const auto* answer : {&told, &untold, &chunked}) {
    BOOST_REQUIRE(!*answer);
    BOOST_TEST(answer->error().code == ErrorCode::kInvalid);
    BOOST_TEST(answer->error().message.find("65536") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(refuses_what_is_no_http) {
  const auto answer = answerTo("hello\r\n\r\n");
  const auto chunk = answerTo("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n");
  const auto header = answerTo("HTTP/1.1 200 OK\r\nA: " + std::string(20000, 'a') + "\r\n\r\n");

  BOOST_REQUIRE(!answer);
  BOOST_TEST(answer.error().code == ErrorCode::kInvalid);
  BOOST_REQUIRE(!chunk);
  BOOST_TEST(chunk.error().code == ErrorCode::kInvalid);
  BOOST_REQUIRE(!header);
  BOOST_TEST(header.error().code == ErrorCode::kInvalid);
}

BOOST_AUTO_TEST_CASE(says_that_a_server_closed_in_the_middle) {
  const auto answer = answerTo("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");

  BOOST_TEST(!answer);
}

BOOST_AUTO_TEST_CASE(says_that_nobody_listens) {
  std::uint16_t port = 0;
  {
    const RawSocket socket = RawSocket::open();
    port = socket.listen();
  }

  const auto answer = httpGet({{"127.0.0.1", port}, "/progress"}, {});

  BOOST_REQUIRE(!answer);
  BOOST_TEST(answer.error().code == ErrorCode::kUnavailable);
  BOOST_TEST(answer.error().message.find(std::to_string(port)) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(stops_at_the_total_timeout_although_bytes_keep_coming) {
  const std::chrono::milliseconds timeout(200);
  const Misbehaving server([](const RawSocket& client) {
    client.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
    const TimePoint begin = SystemClock().now();
    // As fast as they are taken, until the client is gone; 20 s when it never goes.
    while (client.write("a") && SystemClock().now() - begin < std::chrono::seconds(20)) {
      std::this_thread::yield();
    }
  });

  const TimePoint begin = SystemClock().now();
  const auto answer = httpGet({server.address(), "/", timeout, std::size_t{1} << 30}, {});

  BOOST_REQUIRE(!answer);
  BOOST_TEST(answer.error().code == ErrorCode::kUnavailable);
  BOOST_TEST((SystemClock().now() - begin >= timeout));
  BOOST_TEST(answer.error().message.find("200 ms") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(ends_when_it_is_told_to_stop) {
  std::stop_source stop;
  const Misbehaving server([&stop](const RawSocket& client) {
    stop.request_stop();  // while it is waited for an answer
    client.readAll();
  });

  const auto answer = httpGet({server.address(), "/", std::chrono::seconds(50)}, stop.get_token());

  BOOST_REQUIRE(!answer);
  BOOST_TEST(answer.error().code == ErrorCode::kUnavailable);
}

BOOST_AUTO_TEST_CASE(does_not_begin_when_it_was_told_to_stop_before) {
  std::stop_source stop;
  stop.request_stop();
  const RawSocket listening = RawSocket::open();

  const auto answer =
      httpGet({{"127.0.0.1", listening.listen()}, "/", std::chrono::seconds(50)}, stop.get_token());

  BOOST_TEST(!answer);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::http_get_test
