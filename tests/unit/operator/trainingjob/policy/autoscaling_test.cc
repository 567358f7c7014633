#include "operator/trainingjob/policy/autoscaling.h"

#include <functional>
#include <limits>
#include <ostream>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/unit/operator/trainingjob/policy/sizing_job.h"

namespace sumac::trainingjob::autoscaling_test {
namespace {

constexpr int kMinute = 60;
constexpr int kHour = 3600;

/// Whether an event says that the job changed, and why.
bool tells(const SizingJob& job, const std::string& change, const std::string& reason) {
  return std::ranges::any_of(job.events, [&](const kube::EventNote& event) {
    return event.reason == "Scaled" && event.message.starts_with(change) &&
           event.message.find(reason) != std::string::npos;
  });
}

/// As those who have the right may write one.
struct Edit {
  const char* name;
  std::function<void(api::JobStatus&)> make;
};

std::ostream& operator<<(std::ostream& out, const Edit& each) {
  return out << each.name;
}

constexpr WallTime kYear9999{std::chrono::sys_days(std::chrono::year{9999} / 1 / 1)};
constexpr WallTime kYear1{std::chrono::sys_days(std::chrono::year{1} / 1 / 1)};
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

const Edit kEdits[] = {
    {"nothing", [](api::JobStatus&) {}},
    {"no section", [](api::JobStatus& status) { status.autoscaling.reset(); }},
    {"an empty section", [](api::JobStatus& status) { status.autoscaling.emplace(); }},
    {"no workers", [](api::JobStatus& status) { status.autoscaling->workers_wanted = 0; }},
    {"too many workers",
     [](api::JobStatus& status) {
       status.autoscaling->workers_wanted = std::numeric_limits<int>::max();
     }},
    {"a size that is not useful",
     [](api::JobStatus& status) { status.autoscaling->workers_wanted = 5; }},
    {"observations that cannot be",
     [](api::JobStatus& status) {
       status.autoscaling->observations = {{0, 1, 1, 1, kYear1},      {-1, 1, 1, 1, kYear9999},
                                           {2, 0, 1, 1, kYear1},      {3, 1, kNan, 1, kYear1},
                                           {4, 1, -1, 1, kYear1},     {8, 1, 1, 2, kYear1},
                                           {999'999, 1, 1, 1, kYear1}};
     }},
    {"more observations than there may be",
     [](api::JobStatus& status) {
       status.autoscaling->observations.resize(1000, {2, 9, 1, 1, {}});
     }},
    {"a search that has ended",
     [](api::JobStatus& status) {
       status.autoscaling->changes = std::numeric_limits<int>::max();
       status.autoscaling->settled_step_seconds = kNan;
       status.autoscaling->most = -7;
     }},
    {"no room for ever",
     [](api::JobStatus& status) {
       status.autoscaling->room =
           api::AutoscalingRoom{-5, kYear9999, std::numeric_limits<int>::max()};
     }},
    {"a quota that asks for nothing",
     [](api::JobStatus& status) {
       status.autoscaling->room = api::AutoscalingRoom{2, kYear1, 1, "few", "pods=0"};
     }},
    {"times to come",
     [](api::JobStatus& status) {
       auto& autoscaling = *status.autoscaling;
       autoscaling.last_change = autoscaling.first_start = autoscaling.accounted = kYear9999;
     }},
    {"times long past",
     [](api::JobStatus& status) {
       auto& autoscaling = *status.autoscaling;
       autoscaling.last_change = autoscaling.first_start = autoscaling.accounted = kYear1;
     }},
    {"sums that overflow",
     [](api::JobStatus& status) {
       auto& autoscaling = *status.autoscaling;
       autoscaling.worker_seconds = autoscaling.server_seconds =
           std::numeric_limits<std::int64_t>::max();
       autoscaling.pauses = std::numeric_limits<int>::max();
       autoscaling.pause_seconds = std::numeric_limits<double>::max();
     }},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(autoscaling_policy)

BOOST_FIXTURE_TEST_CASE(begins_with_the_fewest_workers, SizingJob) {
  job.min_replicas = 2;
  play();
  BOOST_TEST(desired() == 2);
  BOOST_TEST(chosen().workers_wanted == 2);
}

BOOST_FIXTURE_TEST_CASE(grows_in_place_to_the_fastest_size_and_stays, SizingJob) {
  play();
  train(20 * kMinute);
  BOOST_TEST(desired() == 8);
  BOOST_TEST(ready() == 8);
  BOOST_TEST(status().attempt == 0);
  BOOST_TEST(status().resizes <= 5);
  BOOST_TEST(chosen().reason == "RightSize");
  BOOST_TEST(tells(*this, "from 1 to ", "SavesTime"));
  const int resizes = status().resizes;
  train(kHour);
  BOOST_TEST(status().resizes == resizes);
  BOOST_TEST(chosen().pauses == resizes);
  BOOST_TEST(chosen().pause_seconds == 0.5);
}

BOOST_FIXTURE_TEST_CASE(leaves_sizes_that_are_slower, SizingJob) {
  exchange = 0.1;
  play();
  train(20 * kMinute);
  BOOST_TEST(desired() == 2);
}

BOOST_FIXTURE_TEST_CASE(writes_once_in_ten_minutes_what_it_has_seen, SizingJob) {
  play();
  train(20 * kMinute);
  const int before = status_writes;
  train(kHour);
  BOOST_TEST(status_writes - before <= 6);
  BOOST_TEST(status_writes - before >= 5);
}

BOOST_FIXTURE_TEST_CASE(goes_on_with_what_the_status_says_after_the_operator, SizingJob) {
  play();
  train(30 * kMinute);
  const int resizes = status().resizes;
  observed.sizing.reset();
  train(10 * kMinute);
  BOOST_TEST(status().resizes == resizes);
  BOOST_TEST(desired() == 8);
}

BOOST_FIXTURE_TEST_CASE(decides_nothing_of_members_that_do_not_tell_how_many_they_are, SizingJob) {
  play();
  for (int i = 0; i < 60; ++i) {
    trainOnce();
    observed.membership->workers = 0;
  }
  BOOST_TEST(desired() == 1);
}

BOOST_FIXTURE_TEST_CASE(takes_members_away_for_which_there_is_no_room, SizingJob) {
  room = 4;
  play();
  BOOST_TEST_REQUIRE(trainUntil([this] { return desired() > 4; }));
  BOOST_TEST(desired() == 8);
  BOOST_TEST(status().isTrue("Running"));
  train(290);
  BOOST_TEST(desired() == 8);
  train(20);
  BOOST_TEST(desired() == 4);
  BOOST_TEST(chosen().room->workers == 4);
  BOOST_TEST(tells(*this, "from 8 to 4", "Room"));
  train(4 * kMinute);
  BOOST_TEST(desired() == 4);
}

// Worker 1 has the only node, and the state: to go to one worker would be to begin anew.
BOOST_FIXTURE_TEST_CASE(does_not_choose_a_number_without_those_that_train, SizingJob) {
  job.max_replicas = 2;
  play();
  BOOST_TEST_REQUIRE(trainUntil([this] { return ready() == 2; }));
  remove(Slot{Role::kWorker, 0});
  room = 1;
  train(6 * kMinute);
  BOOST_TEST_REQUIRE(chosen().room.has_value());
  BOOST_TEST(chosen().room->workers == 1);
  BOOST_TEST(chosen().workers_wanted == 2);
  BOOST_TEST(desired() == 2);
  BOOST_TEST(ready() == 1);
  BOOST_TEST(condition("Running").message.find("waits: 1, ") != std::string::npos);
  const int resizes = status().resizes;
  room = 2;
  train(kMinute);
  BOOST_TEST(ready() == 2);
  BOOST_TEST(status().resizes == resizes);
  BOOST_TEST(condition("Running").message.find("waits") == std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(tries_again_later_and_later, SizingJob) {
  room = 4;
  play();
  std::vector<int> waits;  // in minutes
  while (waits.size() < 4) {
    BOOST_TEST_REQUIRE(trainUntil([this] { return desired() > 4; }));
    BOOST_TEST_REQUIRE(trainUntil([this] { return desired() <= 4; }));
    waits.push_back(static_cast<int>(
        std::chrono::duration_cast<std::chrono::minutes>(chosen().room->until - now).count()));
  }
  BOOST_TEST(waits == (std::vector{5, 10, 20, 40}), boost::test_tools::per_element());
  room = 8;
  train(kHour);
  BOOST_TEST(desired() == 8);
  BOOST_TEST(!chosen().room.has_value());
}

BOOST_FIXTURE_TEST_CASE(waits_for_a_node_that_appears_after_three_minutes, SizingJob) {
  room = 4;
  play();
  BOOST_TEST_REQUIRE(trainUntil([this] { return desired() > 4; }));
  train(180);
  room = 8;
  train(20 * kMinute);
  BOOST_TEST(desired() == 8);
  BOOST_TEST(!tells(*this, "from 8", "Room"));
}

BOOST_FIXTURE_TEST_CASE(asks_a_quota_that_it_cannot_read_every_five_minutes, SizingJob) {
  quota = 4;
  play();
  BOOST_TEST_REQUIRE(trainUntil([this] { return chosen().room.has_value(); }));
  BOOST_TEST(desired() == 4);
  BOOST_TEST(tells(*this, "from 8 to 4", "Room"));
  const int resizes = status().resizes;
  train(4 * kMinute);
  BOOST_TEST(status().resizes == resizes);
  train(2 * kMinute);
  BOOST_TEST(status().resizes == resizes + 2);
  train(kHour);
  BOOST_TEST(status().resizes <= resizes + 2 * 14);
  BOOST_TEST(desired() == 4);
  quota = 8;
  train(6 * kMinute);
  BOOST_TEST(desired() == 8);
}

BOOST_FIXTURE_TEST_CASE(asks_a_quota_that_it_can_read_when_it_has_room, SizingJob) {
  quota = 4;
  reads_quotas = true;
  play();
  BOOST_TEST_REQUIRE(trainUntil([this] { return chosen().room.has_value(); }));
  BOOST_TEST(desired() == 4);
  BOOST_TEST(chosen().room->quota == "few");
  const int resizes = status().resizes;
  const int asked = refusals;
  train(3 * kHour);
  BOOST_TEST(refusals == asked);
  BOOST_TEST(status().resizes == resizes);
  BOOST_TEST(desired() == 4);
  quota = 8;
  train(20);
  BOOST_TEST(desired() == 8);
  BOOST_TEST(status().resizes == resizes + 1);
  train(kMinute);
  BOOST_TEST(!chosen().room.has_value());
}

BOOST_FIXTURE_TEST_CASE(takes_what_a_quota_gives_and_asks_for_no_more, SizingJob) {
  quota = 2;
  reads_quotas = true;
  play();
  BOOST_TEST_REQUIRE(trainUntil([this] { return chosen().room.has_value(); }));
  train(kHour);
  BOOST_TEST(desired() == 2);
  const int asked = refusals;
  quota = 3;
  train(kHour);
  BOOST_TEST(desired() == 3);
  quota = 7;
  train(kHour);
  BOOST_TEST(desired() == 4);  // five to seven are no faster
  BOOST_TEST(refusals == asked);
}

BOOST_FIXTURE_TEST_CASE(has_its_workers_again_after_a_quota_that_is_gone, SizingJob) {
  quota = 4;
  reads_quotas = true;
  play();
  BOOST_TEST_REQUIRE(trainUntil([this] { return chosen().room.has_value(); }));
  train(kHour);
  reads_quotas = false;
  observed.quotas.emplace();
  quota = 8;
  trainOnce();
  BOOST_TEST(desired() == 8);
}

BOOST_FIXTURE_TEST_CASE(loses_no_worker_that_a_quota_refuses_for_a_moment, SizingJob) {
  quota = 8;
  reads_quotas = true;
  play();
  train(20 * kMinute);
  BOOST_TEST(desired() == 8);
  const int resizes = status().resizes;
  remove(Slot{Role::kWorker, 7});
  quota = 7;  // the pod that is gone is counted still
  play();
  advance(seconds(4));
  play();
  BOOST_TEST(observed.refusal.has_value());
  quota = 8;
  train(kMinute);
  BOOST_TEST(ready() == 8);
  BOOST_TEST(status().resizes == resizes);
}

BOOST_FIXTURE_TEST_CASE(keeps_what_a_quota_took_that_is_cut_later, SizingJob) {
  reads_quotas = true;
  quota = 4;
  play();
  BOOST_TEST_REQUIRE(trainUntil([this] { return chosen().room.has_value(); }));
  reads_quotas = false;
  observed.quotas.emplace().push_back(std::make_shared<const api::ResourceQuota>(
      api::ResourceQuota{.key = {"", "few"}, .hard = {{"pods", 1}}, .used = {{"pods", 4}}}));
  for (int i = 0; i < 60; ++i) {
    advance(seconds(10));
    pass();
  }
  BOOST_TEST(desired() == 4);
}

BOOST_DATA_TEST_CASE(stays_within_bounds_whatever_a_status_says,
                     boost::unit_test::data::make(kEdits), edit) {
  SizingJob fixture;
  fixture.play();
  fixture.train(10 * kMinute);
  edit.make(fixture.job.status);
  for (const bool is_new : {false, true}) {
    if (is_new) fixture.observed.sizing.reset();
    for (int i = 0; i < 120; ++i) {
      fixture.trainOnce();
      BOOST_TEST_REQUIRE(fixture.desired() >= 1);
      BOOST_TEST_REQUIRE(fixture.desired() <= 8);
    }
  }
  BOOST_TEST(fixture.status().state == "Running");
}

BOOST_FIXTURE_TEST_CASE(begins_with_the_present_size_of_a_job_that_runs, SizingJob) {
  job.autoscaling.reset();
  play();
  train(kMinute);
  BOOST_TEST(desired() == 5);
  BOOST_TEST(!status().autoscaling.has_value());
  job.autoscaling.emplace();
  play();
  BOOST_TEST(desired() == 5);
  BOOST_TEST(chosen().workers_wanted == 5);
}

BOOST_FIXTURE_TEST_CASE(goes_to_replicas_where_it_is_taken_out, SizingJob) {
  play();
  train(20 * kMinute);
  job.autoscaling.reset();
  job.worker_replicas = 3;
  play();
  BOOST_TEST(desired() == 3);
  BOOST_TEST(!status().autoscaling.has_value());
}

BOOST_FIXTURE_TEST_CASE(keeps_its_size_through_a_suspension, SizingJob) {
  play();
  train(20 * kMinute);
  const WallTime first = *chosen().first_start;
  job.suspend = true;
  play();
  pods.clear();
  play();
  advance(seconds(kHour));
  const std::int64_t spent = chosen().worker_seconds;
  job.suspend = false;
  settle();
  BOOST_TEST(desired() == 8);
  BOOST_TEST(chosen().worker_seconds == spent);
  BOOST_TEST((chosen().first_start == first));
}

BOOST_FIXTURE_TEST_CASE(restarts_a_job_whose_members_are_fixed, SizingJob) {
  record.changes_members = false;
  play();
  int attempts = 0;
  for (int i = 0; i < 360; ++i) {
    trainOnce();
    if (status().attempt == attempts) continue;
    attempts = status().attempt;
    advance(seconds(30));
    observed.membership->term = 1;
    observed.progress->gradient_seconds = observed.progress->sum_wait_seconds = 0;
  }
  BOOST_TEST(desired() == 8);
  BOOST_TEST(attempts >= 1);
  BOOST_TEST(attempts <= 5);
  BOOST_TEST(chosen().pauses == attempts);
  BOOST_TEST(chosen().pause_seconds >= 30);
  BOOST_TEST(status().restarts + status().disruptions == 0);
}

BOOST_FIXTURE_TEST_CASE(takes_the_cheapest_size_that_keeps_a_deadline, SizingJob) {
  job.autoscaling->policy = job::AutoscalingPolicy::kDeadline;
  job.autoscaling->deadline_seconds = 2 * kHour;
  observed.progress->total_steps = 2 * kHour * 4;  // at 0.25 s a step
  play();
  train(20 * kMinute);
  BOOST_TEST(desired() == 4);
  BOOST_TEST(tells(*this, "from 1 to ", "Deadline"));
}

BOOST_FIXTURE_TEST_CASE(adds_up_the_time_of_its_workers, SizingJob) {
  job.max_replicas = 1;
  play();
  train(kHour);
  BOOST_TEST(chosen().worker_seconds <= kHour);
  BOOST_TEST(chosen().worker_seconds >= kHour - 10 * kMinute);
  BOOST_TEST(chosen().server_seconds == chosen().worker_seconds);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::trainingjob::autoscaling_test
