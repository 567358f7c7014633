#include "worker/train/step_times.h"

#include <fstream>

#include <fcntl.h>
#include <sys/file.h>

#include <boost/test/unit_test.hpp>

#include "tests/support/manual_clock.h"
#include "tests/support/temporary_folder.h"

namespace sumac::worker::step_times_test {
namespace {

const StepTimes kTimes{{{StepTimes::Kind::kAwaits, 0, 0, 10, 0.0},
                        {StepTimes::Kind::kFinal, 1, 5, 5, 0.25},
                        {StepTimes::Kind::kFinal, 1, 0, 5, 0.5}},
                       0.75,
                       0.125,
                       {.median = 0.875, .lower = 0.75, .upper = 1, .waited = 0.25}};

}  // namespace

BOOST_AUTO_TEST_SUITE(step_times)

BOOST_AUTO_TEST_CASE(are_read_as_they_were_written) {
  const auto read = stepTimesFromFile(toFile(kTimes));
  BOOST_REQUIRE(read.has_value());
  BOOST_TEST((*read == kTimes));
}

BOOST_AUTO_TEST_CASE(are_not_taken_from_anything_else) {
  const std::string whole = toFile(kTimes);
  const auto changed = [&whole](const std::string& from, const std::string& to) {
    std::string text = whole;
    const auto at = text.find(from);
    BOOST_REQUIRE(at != text.npos);
    return text.replace(at, from.size(), to);
  };
  for (const std::string& text :
       {std::string(), std::string("[]"), std::string("{}"), whole.substr(0, whole.size() / 2),
        changed("\"schemaVersion\":2", "\"schemaVersion\":1"), changed("0.75", "-1"),
        changed("[1,1,5,5,0.25]", "[1,1,-1,5,0.25]"), changed("[1,1,5,5,0.25]", "[1,1,5]"),
        changed("\"waited\"", "\"wasted\"")}) {
    BOOST_TEST(!stepTimesFromFile(text).has_value(), text);
  }
}

BOOST_AUTO_TEST_CASE(are_those_of_the_quietest_measurement) {
  const struct {
    std::vector<double> waited;  // of one measurement after the other, which take a second each
    std::size_t taken;
    std::size_t made;
  } cases[] = {
      {{0.02, 0}, 0, 1},
      {{0.5, 0.3, 0.01, 0}, 2, 3},
      {{0.5, 0.3, 0.4, 0.3, 0.35, 0}, 1, 5},  // others never end
  };
  for (const auto& one : cases) {
    ManualClock clock;
    std::size_t made = 0;
    const StepTimes times = quietest(clock, 5, [&] {
      clock.advance(std::chrono::seconds(1));
      StepTimes measured = kTimes;
      measured.computing = {.median = 1, .lower = 1, .upper = 1, .waited = one.waited.at(made++)};
      return measured;
    });
    BOOST_TEST(times.computing.waited == one.waited[one.taken]);
    BOOST_TEST(made == one.made);
  }
}

BOOST_AUTO_TEST_CASE(are_measured_once_for_all_who_share_a_folder) {
  const TemporaryFolder place;
  int measured = 0;
  const auto measure = [&measured] {
    ++measured;
    return kTimes;
  };
  for (int i = 0; i < 3; ++i) {
    const auto times = sharedStepTimes(place / "times", "one.json", measure);
    BOOST_REQUIRE(times.has_value());
    BOOST_TEST((times->times == kTimes));
  }
  BOOST_TEST(measured == 1);
  BOOST_TEST(sharedStepTimes(place / "times", "two.json", measure).has_value());
  BOOST_TEST(measured == 2);
}

BOOST_AUTO_TEST_CASE(a_damaged_file_is_measured_again) {
  const TemporaryFolder place;
  std::ofstream(place / "one.json") << "{";
  {
    const auto times = sharedStepTimes(place.path(), "one.json", [] { return kTimes; });
    BOOST_REQUIRE(times.has_value());
  }
  const auto again = sharedStepTimes(place.path(), "one.json", [] { return StepTimes(); });
  BOOST_REQUIRE(again.has_value());
  BOOST_TEST((again->times == kTimes));
}

BOOST_AUTO_TEST_CASE(nobody_else_measures_while_times_are_held) {
  const TemporaryFolder place;
  const auto isFree = [&place] {
    const Descriptor lock(::open((place / ".lock").c_str(), O_RDWR | O_CLOEXEC));
    return ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0;
  };
  {
    const auto times = sharedStepTimes(place.path(), "one.json", [] { return kTimes; });
    BOOST_REQUIRE(times.has_value());
    BOOST_TEST(!isFree());
  }
  BOOST_TEST(isFree());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::step_times_test
