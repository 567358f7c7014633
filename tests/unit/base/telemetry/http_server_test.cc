#include "base/telemetry/http_server.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/unit/base/telemetry/raw_client.h"

namespace sumac::http_server_test {
namespace {

constexpr std::chrono::milliseconds kShort(200);  // a timeout that a test can wait for

struct Fixture {
  std::unique_ptr<HttpServer> server = started({"127.0.0.1:0"});

  static std::unique_ptr<HttpServer> started(const HttpServerOptions& options) {
    HttpServer::Routes routes;
    routes["/healthz"] = [] { return HttpAnswer{200, "text/plain", "ok"}; };
    routes["/progress"] = [] { return HttpAnswer{503, "application/json", "{}"}; };
    routes["/broken"] = []() -> HttpAnswer { throw std::runtime_error("broken"); };
    auto made = HttpServer::start(options, std::move(routes), Log::discarding());
    BOOST_REQUIRE_MESSAGE(made, (made ? "" : made.error().message));
    return std::move(made).value();
  }

  /// Everything that is said to `text` until the server closes.
  std::string ask(const std::string& text) const {
    const RawSocket socket = RawSocket::connected(server->address());
    socket.write(text);
    return socket.readAll();
  }
};

std::string get(const std::string& path) {
  return "GET " + path + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
}

std::string bodyOf(const std::string& answer) {
  return answer.substr(std::min(answer.size(), answer.find("\r\n\r\n") + 4));
}

struct Refused {
  const char* name;
  std::string text;
  const char* status;
};

std::ostream& operator<<(std::ostream& out, const Refused& one) {
  return out << one.name;
}

const std::string kChunked = " /healthz HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
const std::vector<Refused> kRefused = {
    {"POST", "POST /healthz HTTP/1.1\r\nContent-Length: 2\r\n\r\nhi", "405"},
    {"DELETE", "DELETE /healthz HTTP/1.1\r\n\r\n", "405"},
    {"CONNECT", "CONNECT a:1 HTTP/1.1\r\n\r\n", "405"},
    {"a body", "GET /healthz HTTP/1.1\r\nContent-Length: 2\r\n\r\nhi", "413"},
    {"a huge length", "GET /healthz HTTP/1.1\r\nContent-Length: 18446744073709551615\r\n\r\n",
     "413"},
    {"a length below zero", "GET /healthz HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "400"},
    {"a chunk of -1", "GET" + kChunked + "-1\r\n", "413"},
    {"a POST with a chunk of -1", "POST" + kChunked + "-1\r\n", "405"},
    {"chunk size zz", "GET" + kChunked + "zz\r\n", "413"},
    {"no HTTP", "\x16\x03\x01 hello\r\n\r\n", "400"},
    {"another version", "GET / HTTP/9.9\r\n\r\n", "400"},
    {"a zero byte in the target", std::string("GET /\0 HTTP/1.1\r\n\r\n", 19), "400"},
    {"a header line of 1 MB",
     "GET / HTTP/1.1\r\nA: " + std::string(std::size_t{1} << 20, 'a') + "\r\n\r\n", "431"},
    {"a target of 20 kB", "GET /" + std::string(20000, 'a') + " HTTP/1.1\r\n\r\n", "431"},
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(http_server, Fixture, *boost::unit_test::timeout(60))

BOOST_AUTO_TEST_CASE(answers_a_path_by_its_route) {
  const std::string answer = ask(get("/healthz"));

  BOOST_TEST(answer.starts_with("HTTP/1.1 200 OK\r\n"));
  BOOST_TEST(answer.find("Content-Type: text/plain\r\n") != std::string::npos);
  BOOST_TEST(answer.find("Content-Length: 2\r\n") != std::string::npos);
  BOOST_TEST(bodyOf(answer) == "ok");
}

BOOST_AUTO_TEST_CASE(passes_on_the_status_of_a_route) {
  BOOST_TEST(ask(get("/progress")).starts_with("HTTP/1.1 503 Service Unavailable\r\n"));
}

BOOST_AUTO_TEST_CASE(ignores_what_follows_the_path) {
  BOOST_TEST(bodyOf(ask(get("/healthz?verbose=1"))) == "ok");
}

BOOST_AUTO_TEST_CASE(answers_404_to_a_path_that_is_not_there) {
  BOOST_TEST(ask(get("/healthz/")).starts_with("HTTP/1.1 404 Not Found\r\n"));
}

BOOST_AUTO_TEST_CASE(answers_head_with_the_length_and_without_the_body) {
  const std::string answer = ask("HEAD /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");

  BOOST_TEST(answer.find("Content-Length: 2\r\n") != std::string::npos);
  BOOST_TEST(bodyOf(answer).empty());
}

BOOST_AUTO_TEST_CASE(answers_several_requests_that_come_at_once_in_their_order) {
  const std::string one = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";

  const std::string answers = ask(one + "GET /progress HTTP/1.1\r\n\r\n" + get("/nothing"));

  const std::size_t first = answers.find("200 OK");
  const std::size_t second = answers.find("503 Service");
  const std::size_t third = answers.find("404 Not");
  BOOST_TEST(first < second);
  BOOST_TEST(second < third);
  BOOST_TEST(third != std::string::npos);
}

BOOST_AUTO_TEST_CASE(keeps_a_connection_for_the_next_request) {
  const RawSocket socket = RawSocket::connected(server->address());
  socket.write("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
  BOOST_TEST(socket.readUntil("ok").ends_with("ok"));

  socket.write(get("/progress"));

  BOOST_TEST(socket.readAll().starts_with("HTTP/1.1 503"));
}

BOOST_AUTO_TEST_CASE(says_the_version_and_closes_for_http_1_0) {
  BOOST_TEST(ask("GET /healthz HTTP/1.0\r\n\r\n").starts_with("HTTP/1.0 200 OK\r\n"));
}

BOOST_DATA_TEST_CASE_F(Fixture, refuses_and_closes, kRefused) {
  const std::string answer = ask(sample.text);

  // A client that still sends may find the connection closed before it reads the answer.
  if (!answer.empty() || sample.text.size() < HttpServer::kMostHeader) {
    BOOST_TEST(answer.starts_with(std::string("HTTP/1.1 ") + sample.status));
    BOOST_TEST(answer.rfind("HTTP/1.") == 0U);  // one answer: what follows is not read
  }
  BOOST_TEST(bodyOf(ask(get("/healthz"))) == "ok");
}

BOOST_AUTO_TEST_CASE(survives_a_route_that_throws) {
  BOOST_TEST(ask(get("/broken")).empty());

  BOOST_TEST(bodyOf(ask(get("/healthz"))) == "ok");
}

BOOST_AUTO_TEST_CASE(closes_connections_that_send_nothing_and_those_that_send_slowly) {
  server = started({"127.0.0.1:0", kShort});
  const RawSocket silent = RawSocket::connected(server->address());
  const RawSocket slow = RawSocket::connected(server->address());

  while (slow.write("a")) {  // until the server has closed it; else the suite's timeout ends this
    // Waits for the server, so that letters come one after the other.
    const RawSocket other = RawSocket::connected(server->address());
    other.write(get("/healthz"));
    other.readAll();
  }

  BOOST_TEST(silent.readAll().empty());
  BOOST_TEST(slow.readAll().empty());  // and not 431 for a header that became too long
}

BOOST_AUTO_TEST_CASE(closes_connections_beyond_the_cap_and_goes_on_when_there_is_room) {
  server = started({"127.0.0.1:0", std::chrono::seconds(50), /*most_connections=*/2});
  {
    const RawSocket first = RawSocket::connected(server->address());
    const RawSocket second = RawSocket::connected(server->address());
    first.write("GET /healthz HTTP/1.1\r\n\r\n");
    BOOST_TEST(first.readUntil("ok").ends_with("ok"));
    second.write("GET /healthz HTTP/1.1\r\n\r\n");
    BOOST_TEST(second.readUntil("ok").ends_with("ok"));

    BOOST_TEST(ask(get("/healthz")).empty());
  }

  std::string answer;
  while (answer.empty())
    answer = ask(get("/healthz"));  // until it noticed that the two are gone
  BOOST_TEST(bodyOf(answer) == "ok");
}

BOOST_AUTO_TEST_CASE(ends_although_connections_are_open) {
  const RawSocket silent = RawSocket::connected(server->address());
  const RawSocket half = RawSocket::connected(server->address());
  half.write("GET /heal");
  ask(get("/healthz"));  // so that both are taken

  server.reset();

  BOOST_TEST(silent.readAll().empty());
  BOOST_TEST(half.readAll().empty());
}

BOOST_AUTO_TEST_CASE(names_the_address_where_it_cannot_listen) {
  const auto second = HttpServer::start({server->address()}, {}, Log::discarding());

  BOOST_REQUIRE(!second);
  BOOST_TEST(second.error().code == ErrorCode::kDenied);
  BOOST_TEST(second.error().message.find(server->address()) != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::http_server_test
