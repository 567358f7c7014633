#include "kube/client/http_exchange.h"

#include <optional>

#include <boost/test/unit_test.hpp>

namespace sumac::kube::http_exchange_test {
namespace {

using std::chrono::seconds;

TimePoint later() {
  return std::chrono::steady_clock::now() + seconds(10);
}
TimePoint past() {
  return TimePoint();
}

struct ExchangeFixture {
  HttpExchange::Taken offer(std::size_t size) {
    return exchange.offer(std::string(size, 'x'), [this](bool go_on) { resumed = go_on; });
  }
  HttpExchange::Event wait() { return exchange.wait(later(), {}, bytes); }

  HttpExchange exchange;
  std::optional<bool> resumed;
  std::string bytes;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(exchange, *boost::unit_test::timeout(30))

BOOST_FIXTURE_TEST_CASE(gives_bytes_and_then_the_end, ExchangeFixture) {
  exchange.setHead(200, seconds(3));
  offer(3);
  exchange.finish("");

  BOOST_TEST((wait() == HttpExchange::Event::kData));
  BOOST_TEST(bytes == "xxx");
  BOOST_TEST((wait() == HttpExchange::Event::kEnd));
  BOOST_TEST(bytes == "");
  BOOST_TEST(exchange.status() == 200);
  BOOST_TEST(exchange.retryAfter().value().count() == 3);
  BOOST_TEST(exchange.error() == "");
}

BOOST_FIXTURE_TEST_CASE(gives_no_bytes_before_the_head, ExchangeFixture) {
  offer(3);
  BOOST_TEST((exchange.wait(past(), {}, bytes) == HttpExchange::Event::kDeadline));

  exchange.setHead(404, {});

  BOOST_TEST((wait() == HttpExchange::Event::kData));
}

BOOST_FIXTURE_TEST_CASE(ends_without_a_head_when_nothing_came, ExchangeFixture) {
  exchange.finish("refused");

  BOOST_TEST((wait() == HttpExchange::Event::kEnd));
  BOOST_TEST(exchange.status() == 0);
  BOOST_TEST(exchange.error() == "refused");
}

BOOST_FIXTURE_TEST_CASE(lets_the_writer_wait_for_a_reader_that_is_behind, ExchangeFixture) {
  exchange.setHead(200, {});

  BOOST_TEST((offer(HttpExchange::kHighWater - 1) == HttpExchange::Taken::kContinue));
  BOOST_TEST((offer(1) == HttpExchange::Taken::kWaitForResume));
  BOOST_TEST(!resumed.has_value());

  BOOST_TEST((wait() == HttpExchange::Event::kData));
  BOOST_TEST(bytes.size() == HttpExchange::kHighWater);
  BOOST_TEST(resumed.value());
}

BOOST_FIXTURE_TEST_CASE(a_reader_that_leaves_turns_the_writer_away, ExchangeFixture) {
  exchange.setHead(200, {});
  offer(HttpExchange::kHighWater);

  exchange.leave();

  BOOST_TEST(!resumed.value());
  BOOST_TEST((offer(1) == HttpExchange::Taken::kRefused));
}

BOOST_FIXTURE_TEST_CASE(stops_when_asked_to_although_there_are_bytes, ExchangeFixture) {
  exchange.setHead(200, {});
  offer(1);
  std::stop_source stop;
  stop.request_stop();

  BOOST_TEST((exchange.wait(later(), stop.get_token(), bytes) == HttpExchange::Event::kStopped));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::kube::http_exchange_test
