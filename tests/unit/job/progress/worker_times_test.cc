#include "job/progress/worker_times.h"

#include <string>

#include <boost/test/unit_test.hpp>

namespace sumac::worker_times_test {
namespace {

constexpr WorkerTimes kSome{3, 4, 2, 1, 0.5, 0.25};

}  // namespace

BOOST_AUTO_TEST_SUITE(worker_times)

BOOST_AUTO_TEST_CASE(what_is_in_none_of_the_parts_is_other) {
  BOOST_TEST(kSome.other() == 0.25);
  BOOST_TEST((WorkerTimes{0, 1, 2, 0, 0, 0}.other()) == 0.0);  // rounding
}

BOOST_AUTO_TEST_CASE(read_back_as_they_were_written) {
  const std::vector<WorkerTimes> all{kSome, {4, 1, 1, 0, 0, 0}};

  BOOST_TEST((workerTimesFromText(toText(all)) == all));
  BOOST_TEST(workerTimesFromText(toText({})).empty());
}

BOOST_AUTO_TEST_CASE(what_is_none_is_left_out) {
  for (const char* const text : {"", "x", "{}", "[", "[1,{}]", R"([{"worker":1}])"})
    BOOST_TEST(workerTimesFromText(text).empty(), text);
  std::string negative = toText({&kSome, 1});
  negative.replace(negative.find("\"updateSeconds\":") + 16, 4, "-1.0");
  BOOST_TEST(workerTimesFromText(negative).empty(), negative);
}

BOOST_AUTO_TEST_CASE(their_number_is_bounded) {
  const std::vector<WorkerTimes> many(kMostWorkerTimes + 1, kSome);

  const std::string text = toText(many);

  BOOST_TEST(workerTimesFromText(text).size() == kMostWorkerTimes);
  BOOST_TEST(text.size() < 50'000U);  // of what a control message and a result may have
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker_times_test
