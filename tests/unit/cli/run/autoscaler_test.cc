#include "cli/run/autoscaler.h"

#include <chrono>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/bytes.h"
#include "base/core/file.h"
#include "tests/support/golden.h"
#include "tests/support/temporary_folder.h"

namespace sumac::cli::autoscaler_test {
namespace {

/// Of V = 8 and 1 to 4 workers, each with `threads`.
job::TrainingJob job(int threads = 1) {
  job::TrainingJob job;
  job.training.logical_workers = 8;
  job.training.threads = threads;
  job.worker = {.replicas = 1, .min_replicas = 1, .max_replicas = 4};
  job.server.replicas = 1;
  job.autoscaling = job::AutoscalingSpec{};
  job.autoscaling->worker_hour = 3.6;
  return job;
}

/// What a run says of a job with 2,000 steps whose computing is shared evenly, 0.8 s of it in all.
class Run {
 public:
  explicit Run(int room, JobObserver* other = nullptr)
      : autoscaler_(job(), room, TimePoint{}, other) {
    roster(1);
  }

  void roster(int workers) {
    workers_ = workers;
    RosterBegan roster;
    roster.start_step = step_;
    roster.members.insert({Role::kServer, 0});
    for (int index = 0; index < workers; ++index)
      roster.members.insert({Role::kWorker, index});
    autoscaler_.onEvent(roster, now());
  }

  void pass(double seconds) { seconds_ += seconds; }

  /// Trains so many steps, and reports each.
  void train(int steps) {
    for (int i = 0; i < steps; ++i) {
      const int busiest = (8 + workers_ - 1) / workers_;
      const int fewest = 8 / workers_;
      gradients_ += 0.1 * fewest;
      waited_ += 0.1 * (busiest - fewest) + 0.01;
      pass(0.1 * busiest + 0.01);
      Progress progress;
      progress.step = ++step_;
      progress.total_steps = 2000;
      progress.gradient_seconds = gradients_;
      progress.update_seconds = progress.data_wait_seconds = 0;
      progress.sum_wait_seconds = waited_;
      autoscaler_.onEvent(Interim{progress}, now());
      if (const auto note = autoscaler_.takeNote()) notes_.push_back(*note);
    }
  }

  /// The newest decision is carried out.
  void follow() {
    pass(0.5);
    const int workers = autoscaler_.resizeAt()->workers;
    autoscaler_.onResize();
    BOOST_TEST(!autoscaler_.resizeAt());
    roster(workers);
    MembersChanged change;
    change.workers = workers;
    change.pause_seconds = 0.5;
    autoscaler_.onEvent(change, now());
  }

  const Autoscaler& autoscaler() const { return autoscaler_; }
  const std::vector<std::string>& notes() const { return notes_; }
  TimePoint now() const {
    return TimePoint{} +
           std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds_));
  }

 private:
  Autoscaler autoscaler_;
  int workers_ = 1;
  Step step_ = 0;
  double seconds_ = 0;
  double gradients_ = 0;
  double waited_ = 0;
  std::vector<std::string> notes_;
};

/// Grown as far as there is room, and trained on.
Run grown(int room) {
  Run run(room);
  run.train(100);
  BOOST_REQUIRE(run.autoscaler().resizeAt().has_value());
  run.follow();
  run.train(200);
  return run;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(autoscaler)

BOOST_AUTO_TEST_CASE(grows_once_when_one_worker_was_observed_for_long_enough) {
  Run run(4);
  BOOST_TEST(!run.autoscaler().resizeAt());
  run.train(70);  // 56.7 s
  BOOST_TEST(!run.autoscaler().resizeAt());
  run.train(10);
  const auto resize = run.autoscaler().resizeAt();
  BOOST_REQUIRE(resize.has_value());
  BOOST_TEST(resize->workers == 4);
  BOOST_TEST(resize->line.starts_with("workers 1 -> 4 at step "), resize->line);
  BOOST_TEST((resize->time <= run.now()));
  run.follow();
  run.train(500);
  BOOST_TEST(run.autoscaler().record().changes.size() == 1U);
}

BOOST_AUTO_TEST_CASE(grows_no_further_than_there_is_room) {
  BOOST_TEST(grown(2).autoscaler().record().changes.back().to == 2);
  Run alone(1);
  alone.train(500);
  BOOST_TEST(!alone.autoscaler().resizeAt());
}

BOOST_AUTO_TEST_CASE(says_once_why_the_number_stays) {
  Run run = grown(4);
  run.train(200);
  BOOST_REQUIRE_EQUAL(run.notes().size(), 1U);
  BOOST_TEST(run.notes().front().starts_with("workers stay 4 at step "), run.notes().front());
  const auto& decisions = run.autoscaler().decisions();
  BOOST_REQUIRE_EQUAL(decisions.size(), 2U);
  BOOST_TEST(decisions.back().from == 4);
  BOOST_TEST(decisions.back().to == 4);
  BOOST_TEST(run.notes().front().find(decisions.back().text) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_lost_worker_is_no_decision) {
  Run run = grown(4);
  run.roster(3);
  run.train(3);
  run.roster(4);
  run.train(100);
  BOOST_TEST(run.autoscaler().record().changes.size() == 1U);
}

BOOST_AUTO_TEST_CASE(another_observer_sees_what_it_would_without_us) {
  struct Other final : JobObserver {
    void onEvent(const JobEvent& /*event*/, TimePoint /*now*/) override { ++events; }
    std::optional<TimePoint> stopAt() const override { return TimePoint{}; }
    int events = 0;
  };
  Other other;
  Run run(4, &other);
  run.train(3);
  BOOST_TEST(other.events == 4);
  BOOST_TEST((run.autoscaler().stopAt() == TimePoint{}));
  BOOST_TEST(!Run(4).autoscaler().stopAt());
}

BOOST_AUTO_TEST_CASE(a_worker_has_room_where_its_threads_have_processors) {
  BOOST_TEST(roomFor(job(1), {2, {}}) == 2);
  BOOST_TEST(roomFor(job(2), {7, {}}) == 3);
  BOOST_TEST(roomFor(job(1), {64, {}}) == 4);
  BOOST_TEST(roomFor(job(1), {64, 2.5}) == 2);
  BOOST_TEST(roomFor(job(0), {3, {}}) == 3);
  BOOST_TEST(roomFor(job(8), {2, 0.5}) == 1);
}

BOOST_AUTO_TEST_CASE(what_was_decided_stands_in_the_result) {
  const SizingRecord record = grown(4).autoscaler().record();
  const TemporaryFolder folder;
  const auto file = folder / "result.json";
  BOOST_REQUIRE(!addToResult(file, record, true));
  const std::string_view bad = "[1]";
  BOOST_REQUIRE(replaceFile(file, asBytes(bad)));
  BOOST_REQUIRE(!addToResult(file, record, true));
  const std::string_view good = R"({"steps": 300, "seconds": 1.5})";
  BOOST_REQUIRE(replaceFile(file, asBytes(good)));
  BOOST_REQUIRE(addToResult(file, record, true).has_value());
  test::checkGolden("cli/run/autoscaled_result.json", readTextFile(file, 10'000).value());
}

BOOST_AUTO_TEST_CASE(words) {
  test::Transcript said;
  said.add("room for all", sizingBegin(job(), 4));
  said.add("for some", sizingBegin(job(2), 2));
  job::TrainingJob wide = job();
  wide.worker.max_replicas = 8;
  said.add("sizes that are as fast", sizingBegin(wide, 8));
  test::checkGolden("cli/run/autoscaler_words.txt", said.text());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::autoscaler_test
