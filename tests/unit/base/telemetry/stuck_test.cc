#include "base/telemetry/stuck.h"

#include <fstream>
#include <string>

#include <boost/test/unit_test.hpp>

#include "tests/support/temporary_folder.h"

namespace sumac::stuck_test {
namespace {

constexpr TimePoint kNow{std::chrono::hours(1)};

Wait waitOf(int worker, Duration time, Step step = 17) {
  return {{Role::kWorker, 0}, {Role::kWorker, worker}, step, "a sum", kNow - time};
}

struct Fixture {
  TemporaryFolder folder;
  WaitLog log{Log::toFile(folder / "log", LogLevel::kInfo).value()};

  /// The line without its time.
  std::string logged() const {
    std::ifstream file(folder / "log");
    std::string text;
    for (std::string line; std::getline(file, line);)
      text += line.substr(line.find(' ') + 1) + "\n";
    return text;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(stuck, Fixture)

BOOST_AUTO_TEST_CASE(answers_with_an_empty_list_where_nobody_waits) {
  const HttpAnswer answer = stuckAnswer({}, kNow);
  BOOST_TEST(answer.status == 200);
  BOOST_TEST(answer.body == "{\"waits\":[]}\n");
}

BOOST_AUTO_TEST_CASE(answers_who_waits_for_whom_since_when) {
  const HttpAnswer answer = stuckAnswer(
      {waitOf(1, std::chrono::milliseconds(4249)), waitOf(2, std::chrono::seconds(2), 0)}, kNow);
  BOOST_TEST(answer.content_type == "application/json");
  BOOST_TEST(answer.body ==
             R"({"waits":[{"who":"worker 0","for":"worker 1","step":17,"what":"a sum",)"
             R"("seconds":4.2},{"who":"worker 0","for":"worker 2","what":"a sum",)"
             R"("seconds":2.0}]})"
             "\n");
}

BOOST_AUTO_TEST_CASE(warns_of_the_longest_wait_once_in_ten_seconds) {
  log.onTick({}, kNow);
  log.onTick({waitOf(1, std::chrono::milliseconds(9999))}, kNow);
  BOOST_TEST(logged().empty());

  log.onTick({waitOf(1, std::chrono::seconds(3)), waitOf(2, std::chrono::seconds(10))}, kNow);
  const std::string once =
      "warn \"waiting for long\" for=\"worker 2\" step=17 what=\"a sum\" seconds=10 others=1\n";
  BOOST_TEST(logged() == once);
  log.onTick({waitOf(2, std::chrono::seconds(10))}, kNow + std::chrono::milliseconds(9999));
  BOOST_TEST(logged() == once);
  log.onTick({waitOf(2, std::chrono::seconds(10))}, kNow + std::chrono::seconds(10));
  BOOST_TEST(logged().size() > once.size());
}

BOOST_AUTO_TEST_CASE(tells_every_wait_when_asked) {
  log.tell({}, kNow);
  log.tell({waitOf(1, std::chrono::seconds(1)), waitOf(2, std::chrono::seconds(2))}, kNow);
  BOOST_TEST(logged() ==
             "info \"waiting for nobody\"\n"
             "info \"waiting\" for=\"worker 1\" step=17 what=\"a sum\" seconds=1\n"
             "info \"waiting\" for=\"worker 2\" step=17 what=\"a sum\" seconds=2\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::stuck_test
