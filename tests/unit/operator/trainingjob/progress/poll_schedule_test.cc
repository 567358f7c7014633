#include "operator/trainingjob/progress/poll_schedule.h"

#include <boost/test/unit_test.hpp>

#include "operator/trainingjob/progress/progress_answer.h"
#include "tests/support/progress_of.h"

namespace sumac::trainingjob::poll_schedule_test {
namespace {

using std::chrono::seconds;

constexpr TimePoint kStart{};

ProgressTarget aTarget(const std::string& name = "a", int attempt = 0) {
  return {{"ns", name}, "uid-" + name, attempt, "10.0.0.1"};
}

ProgressAnswer at(int percentage, std::uint32_t generation = 1) {
  ProgressAnswer answer;
  answer.progress.step = percentage;
  answer.progress.total_steps = 100;
  answer.membership =
      MembershipReport{.term = 1, .generation = generation, .changes = 0, .last = {}};
  return answer;
}

BOOST_AUTO_TEST_SUITE(poll_schedule)

BOOST_AUTO_TEST_CASE(a_target_is_asked_at_once_and_then_every_two_seconds) {
  PollSchedule schedule;
  BOOST_TEST(!schedule.nextDue().has_value());
  schedule.follow(aTarget(), kStart);

  BOOST_TEST_REQUIRE(schedule.take(kStart).has_value());
  BOOST_TEST(!schedule.take(kStart).has_value());  // one answer at a time
  BOOST_TEST(schedule.done(aTarget(), at(1), kStart));

  BOOST_TEST(!schedule.take(kStart + seconds(1)).has_value());
  BOOST_TEST((*schedule.nextDue() == kStart + seconds(2)));
  BOOST_TEST(schedule.take(kStart + seconds(2)).has_value());
}

BOOST_AUTO_TEST_CASE(a_job_is_warned_of_once_in_ten_minutes_whatever_it_answers) {
  PollSchedule schedule;
  BOOST_TEST(!schedule.mayWarn(aTarget(), kStart));
  schedule.follow(aTarget(), kStart);
  schedule.follow(aTarget("b"), kStart);
  BOOST_TEST(schedule.mayWarn(aTarget(), kStart));
  BOOST_TEST(!schedule.mayWarn(aTarget(), kStart));
  BOOST_TEST(schedule.mayWarn(aTarget("b"), kStart));
  schedule.done(aTarget(), at(1), kStart);
  BOOST_TEST(!schedule.mayWarn(aTarget(), kStart + seconds(599)));
  schedule.follow(aTarget("a", /*attempt=*/1), kStart);
  BOOST_TEST(!schedule.mayWarn(aTarget("a", 1), kStart + seconds(599)));
  BOOST_TEST(schedule.mayWarn(aTarget("a", 1), kStart + seconds(600)));
}

BOOST_AUTO_TEST_CASE(only_a_new_percentage_is_news) {
  PollSchedule schedule;
  schedule.follow(aTarget(), kStart);
  BOOST_TEST(schedule.done(aTarget(), at(0), kStart));
  BOOST_TEST(!schedule.done(aTarget(), at(0), kStart));
  BOOST_TEST(schedule.done(aTarget(), at(1), kStart));
  BOOST_TEST(schedule.done(aTarget(), at(1, 2), kStart));  // other members
}

BOOST_AUTO_TEST_CASE(who_does_not_answer_is_asked_more_rarely_until_it_answers) {
  PollSchedule schedule;
  schedule.follow(aTarget(), kStart);
  TimePoint now = kStart;
  for (const int pause : {4, 8, 16, 30, 30}) {
    schedule.done(aTarget(), std::nullopt, now);
    BOOST_TEST((*schedule.nextDue() == now + seconds(pause)));
    now = *schedule.nextDue();
  }
  schedule.done(aTarget(), at(1), now);
  BOOST_TEST((*schedule.nextDue() == now + seconds(2)));
}

BOOST_AUTO_TEST_CASE(many_targets_share_a_hundred_requests_a_second) {
  PollSchedule schedule;
  for (int i = 0; i < 1000; ++i)
    schedule.follow(aTarget(std::to_string(i)), kStart);
  schedule.done(aTarget("7"), at(1), kStart);
  while (schedule.take(kStart)) {
  }
  schedule.done(aTarget("7"), at(1), kStart);
  BOOST_TEST((*schedule.nextDue() == kStart + seconds(10)));
}

BOOST_AUTO_TEST_CASE(a_late_answer_of_an_earlier_attempt_is_dropped) {
  PollSchedule schedule;
  schedule.follow(aTarget("a", 0), kStart);
  schedule.done(aTarget("a", 0), at(50), kStart);
  schedule.follow(aTarget("a", 1), kStart);

  BOOST_TEST(!schedule.done(aTarget("a", 0), at(60), kStart));
  BOOST_TEST(!schedule.latest({"ns", "a"}, "uid-a", 0).has_value());
  BOOST_TEST(!schedule.latest({"ns", "a"}, "uid-a", 1).has_value());

  schedule.done(aTarget("a", 1), at(2), kStart);
  BOOST_TEST(schedule.latest({"ns", "a"}, "uid-a", 1)->progress.percentage() == 2);
  BOOST_TEST(!schedule.latest({"ns", "a"}, "uid-successor", 1).has_value());
}

BOOST_AUTO_TEST_CASE(what_a_slot_told_is_kept_while_it_does_not_run) {
  PollSchedule schedule;
  schedule.follow(aTarget(), kStart);
  schedule.done(aTarget(), at(50), kStart);
  ProgressTarget dead = aTarget();
  dead.ip.clear();

  schedule.follow(dead, kStart);

  BOOST_TEST(!schedule.take(kStart + seconds(60)).has_value());
  BOOST_TEST(!schedule.nextDue().has_value());
  BOOST_TEST(schedule.latest({"ns", "a"}, "uid-a", 0)->progress.percentage() == 50);
  dead.attempt = 1;
  schedule.follow(dead, kStart);
  BOOST_TEST(schedule.size() == 0U);
}

BOOST_AUTO_TEST_CASE(who_is_forgotten_is_not_asked_and_its_answer_is_dropped) {
  PollSchedule schedule;
  schedule.follow(aTarget(), kStart);
  schedule.forget({"ns", "a"});
  BOOST_TEST(!schedule.take(kStart).has_value());
  BOOST_TEST(!schedule.done(aTarget(), at(1), kStart));
  BOOST_TEST(schedule.size() == 0U);
}

BOOST_AUTO_TEST_CASE(an_answer_is_read_with_all_its_fields) {
  const auto progress = progressFromAnswer(
      R"({"jobUid":"uid-a","attempt":0,"step":120,"totalSteps":470,"percentage":25,"epoch":2,)"
      R"("loss":"0.5","samplesPerSecond":"56000.5","batchesPerSecond":"50","estimatedRemainingSeconds":7})",
      aTarget());
  BOOST_TEST_REQUIRE(progress.has_value());
  Progress expected = progressOf(120, 470, 2, 0.5);
  expected.samples_per_second = 56000.5;
  expected.batches_per_second = 50;
  BOOST_TEST((progress->progress == expected));
  BOOST_TEST(!progress->membership.has_value());
}

BOOST_AUTO_TEST_CASE(an_answer_that_is_not_of_this_attempt_of_this_job_is_refused) {
  for (const char* body :
       {"", "[]", "null", "{}", R"({"jobUid":"uid-b","attempt":0})",
        R"({"jobUid":"uid-a","attempt":1})", R"({"jobUid":"uid-a"})",
        R"({"jobUid":"uid-a","attempt":"0"})", R"({"jobUid":"uid-a","attempt":0,"step":-1})",
        R"({"jobUid":"uid-a","attempt":0,"membership":{"term":-1}})",
        R"({"jobUid":"uid-a","attempt":0,"membership":{"term":1,"last":{"event":"result"}}})",
        R"({"jobUid":"uid-a","attempt":0,"step":1e300})", "{\"jobUid\":\"\xff\"}"}) {
    BOOST_TEST_CONTEXT(body) BOOST_TEST(!progressFromAnswer(body, aTarget()).has_value());
  }
}

BOOST_AUTO_TEST_CASE(texts_that_are_no_decimals_do_not_reach_the_status) {
  const auto progress =
      progressFromAnswer(R"({"jobUid":"uid-a","attempt":0,"loss":"nan","samplesPerSecond":")" +
                             std::string(40, '1') + "\"}",
                         aTarget());
  BOOST_TEST_REQUIRE(progress.has_value());
  BOOST_TEST(!progress->progress.loss.has_value());
  BOOST_TEST(!progress->progress.samples_per_second.has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sumac::trainingjob::poll_schedule_test
