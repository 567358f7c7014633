// Streams of the transport: split and joined chunks, a silent half-open watch.
#include "tests/unit/kube/client/server_fixture.h"

namespace sumac::kube::rest_stream_test {
namespace {

using fake::Misbehaviour;
using fake::Seen;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kLong(20);
const std::stop_token kNeverStops;

Request watchOfMaps() {
  Request request;
  request.path = kMapsPath;
  request.query = {{"watch", "true"}};
  return request;
}

/// All lines of a watch that the server writes as `chunks` and then ends.
std::pair<Response, std::vector<std::string>> linesOf(ServerFixture& fixture,
                                                      std::vector<std::string> chunks,
                                                      Misbehaviour::Then then) {
  fixture.server.misbehave({.is_watch = true, .chunks = std::move(chunks), .then = then});
  const auto transport = fixture.connect();
  std::vector<std::string> lines;
  Response response =
      transport->stream(watchOfMaps(), kLong, kNeverStops, [&lines](std::string_view line) {
        lines.emplace_back(line);
        return true;
      });
  return {std::move(response), std::move(lines)};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(rest_stream, *boost::unit_test::timeout(60))

BOOST_FIXTURE_TEST_CASE(hands_over_lines_however_they_are_cut, ServerFixture) {
  const auto [response, lines] =
      linesOf(*this, {"{\"a\":", "1}\n{\"b\":2}\n{\"c", "\":\"\xc3", "\xa4\"}\n"},
              Misbehaviour::Then::kEnd);

  const std::vector<std::string> expected{"{\"a\":1}", "{\"b\":2}", "{\"c\":\"\xc3\xa4\"}"};
  BOOST_TEST(lines == expected, boost::test_tools::per_element());
  BOOST_TEST(response.status == 200);
  BOOST_TEST(response.error == "");
}

BOOST_FIXTURE_TEST_CASE(drops_a_last_line_that_is_cut_short, ServerFixture) {
  const auto [response, lines] = linesOf(*this, {"one\ntw"}, Misbehaviour::Then::kDrop);

  BOOST_TEST(lines == std::vector<std::string>{"one"}, boost::test_tools::per_element());
  BOOST_TEST(response.status == 200);
  BOOST_TEST(response.error != "");
}

BOOST_FIXTURE_TEST_CASE(ends_a_stream_whose_line_is_too_long, ServerFixture) {
  const std::string piece(Transport::kMaxLine / 4, 'x');
  const auto [response, lines] =
      linesOf(*this, {"one\n", piece, piece, piece, piece, piece}, Misbehaviour::Then::kSilent);

  BOOST_TEST(lines == std::vector<std::string>{"one"}, boost::test_tools::per_element());
  BOOST_TEST(response.error.find("longer than 16 MiB") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(takes_a_long_silence_for_a_dead_peer, ServerFixture) {
  server.misbehave({.then = Misbehaviour::Then::kSilent});
  const auto transport = connect();

  // Long enough for the head of the answer to come on a busy machine.
  const Response response = transport->stream(watchOfMaps(), seconds(1), kNeverStops,
                                              [](std::string_view) { return true; });

  BOOST_TEST(response.status == 200);
  checkError("kube/client/silent_stream.txt", response);
}

BOOST_FIXTURE_TEST_CASE(lets_a_stream_live_longer_than_its_idle_time, ServerFixture) {
  const auto transport = connect();
  std::jthread writer([this](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      server.store().bookmark();
      std::this_thread::yield();
    }
  });
  int lines = 0;
  constexpr seconds kIdle(2);
  const TimePoint until = std::chrono::steady_clock::now() + kIdle + milliseconds(500);
  TimePoint last = until;

  const Response response =
      transport->stream(watchOfMaps(), kIdle, kNeverStops, [&](std::string_view) {
        ++lines;
        last = std::chrono::steady_clock::now();
        return last < until;
      });

  // On a machine so busy that no line came for the idle time, the stream was right to end.
  const bool was_silent = std::chrono::steady_clock::now() - last >= kIdle;
  BOOST_TEST((was_silent || response.error.find("enough") != std::string::npos));
  BOOST_TEST((was_silent || lines > 2));
}

BOOST_FIXTURE_TEST_CASE(returns_the_body_of_a_stream_that_was_refused, ServerFixture) {
  server.misbehave({.answer = fake::failure(410, "Expired", "too old")});
  const auto transport = connect();
  int lines = 0;

  const Response response =
      transport->stream(watchOfMaps(), kLong, kNeverStops, [&lines](std::string_view) {
        ++lines;
        return true;
      });

  BOOST_TEST(response.status == 410);
  BOOST_TEST(response.body.find("too old") != std::string::npos);
  BOOST_TEST(lines == 0);
}

BOOST_FIXTURE_TEST_CASE(ends_a_stream_when_asked_to_stop, ServerFixture) {
  const auto transport = connect();
  std::stop_source stop;
  std::jthread stopper([&] {
    server.waitFor(1, [](const Seen&) { return true; });
    stop.request_stop();
  });

  const Response response = transport->stream(watchOfMaps(), kLong, stop.get_token(),
                                              [](std::string_view) { return true; });

  BOOST_TEST(response.error.find("stopped") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(cancels_the_request_of_a_reader_that_throws, ServerFixture) {
  server.store().create(mapsTarget(), configMap("a"));
  const auto transport = connect();
  Request from_start = watchOfMaps();
  from_start.query.emplace_back("resourceVersion", "1");

  BOOST_CHECK_THROW(
      transport->stream(from_start, kLong, kNeverStops,
                        [](std::string_view) -> bool { throw std::runtime_error("reader"); }),
      std::runtime_error);

  BOOST_TEST(get(*transport, kMapsPath).status == 200);
}

BOOST_FIXTURE_TEST_CASE(hands_over_bytes_as_they_come_where_asked, ServerFixture) {
  server.misbehave({.chunks = {"no newline"}, .then = Misbehaviour::Then::kEnd});
  const auto transport = connect();
  std::string bytes;

  transport->stream(
      watchOfMaps(), kLong, kNeverStops,
      [&bytes](std::string_view piece) {
        bytes += piece;
        return true;
      },
      /*raw=*/true);

  BOOST_TEST(bytes == "no newline");
}

BOOST_FIXTURE_TEST_CASE(loses_nothing_of_what_a_slow_reader_takes, ServerFixture) {
  constexpr int kLines = 64;
  const std::string line = std::string(std::size_t{256} << 10, 'x') + "\n";
  const auto [response, lines] =
      linesOf(*this, std::vector<std::string>(kLines, line), Misbehaviour::Then::kEnd);

  BOOST_TEST(response.error == "");
  BOOST_TEST(lines.size() == std::size_t{kLines});
}

BOOST_FIXTURE_TEST_CASE(may_be_left_while_the_server_waits_for_the_reader, ServerFixture) {
  server.misbehave(
      {.times = -1,
       .chunks = std::vector<std::string>(64, std::string(std::size_t{512} << 10, 'x'))});
  const auto transport = connect();

  for (int i = 0; i < 10; ++i) {
    const Response response = transport->stream(
        watchOfMaps(), kLong, kNeverStops, [](std::string_view) { return false; }, /*raw=*/true);
    BOOST_TEST(response.error.find("enough") != std::string::npos);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::kube::rest_stream_test
