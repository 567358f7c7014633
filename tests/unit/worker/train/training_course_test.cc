#include "worker/train/training_course.h"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "common/base/check.h"

namespace sumac::worker::training_course_test {
namespace {

using Options = TrainingCourse::Options;

const StopOrder kNoStop;

/// A job of two epochs of three steps with checkpoints.
Options aJob(bool is_lowest) {
  return {.total_steps = 6,
          .steps_per_epoch = 3,
          .evaluation_every_epochs = 1,
          .checkpoint_every = 2,
          .is_lowest = is_lowest,
          .keeps_checkpoints = true};
}

/// A course, and what happens: whatever is not said goes as asked.
class Walk {
 public:
  explicit Walk(const Options& options) : course_(options), action_(course_.begin(kNoStop)) {}

  /// Carries out all actions up to the first `task`, which is next then.
  Walk& until(Task task) {
    while (action_.task != task && action_.task != Task::kExit)
      goes(Outcome::kDone);
    BOOST_TEST(action_.task == task);
    return *this;
  }
  /// The next action goes so.
  Walk& goes(Outcome outcome) {
    action_ = course_.next(outcome, stop_);
    return *this;
  }
  Walk& isAsked(const StopOrder& stop) {
    stop_ = stop;
    return *this;
  }
  const Action& next() const { return action_; }
  /// What is next, and all that follows, each with its step: "step 1".
  std::vector<std::string> rest() {
    std::vector<std::string> all;
    for (; action_.task != Task::kExit; goes(Outcome::kDone)) {
      std::ostringstream text;
      text << action_;
      all.push_back(text.str());
    }
    return all;
  }

 private:
  TrainingCourse course_;
  StopOrder stop_;
  Action action_;
};

using Texts = std::vector<std::string>;

void check(const Texts& found, const Texts& wanted) {
  BOOST_TEST(found == wanted, boost::test_tools::per_element());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(training_course)

BOOST_AUTO_TEST_CASE(the_lowest_worker_reports_evaluates_and_writes_files) {
  check(Walk(aJob(/*is_lowest=*/true)).rest(), {"step 1",
                                                "report progress 1",
                                                "step 2",
                                                "report weights 2",
                                                "report progress 2",
                                                "draft checkpoint 2",
                                                "await agreement 2",
                                                "complete checkpoint 2",
                                                "step 3",
                                                "report progress 3",
                                                "evaluate 3 test",
                                                "step 4",
                                                "report weights 4",
                                                "report progress 4",
                                                "draft checkpoint 4",
                                                "await agreement 4",
                                                "complete checkpoint 4",
                                                "step 5",
                                                "report progress 5",
                                                "step 6",
                                                "report progress 6",
                                                "evaluate 6 test",
                                                "report weights 6",
                                                "draft checkpoint 6",
                                                "await agreement 6",
                                                "complete checkpoint 6",
                                                "write result 6",
                                                "say finished 6",
                                                "await end 6"});
}

BOOST_AUTO_TEST_CASE(the_others_compute_and_report_their_weights_at_the_same_steps) {
  check(Walk(aJob(/*is_lowest=*/false)).rest(),
        {"step 1", "step 2", "report weights 2", "step 3", "step 4", "report weights 4", "step 5",
         "step 6", "report weights 6", "say finished 6", "await end 6"});
}

BOOST_AUTO_TEST_CASE(a_step_is_left_open_unless_what_follows_needs_its_weights) {
  Options options = aJob(/*is_lowest=*/true);
  options.overlaps = true;
  options.checkpoint_every = 4;
  options.steps_per_epoch = 6;
  check(Walk(options).rest(),
        {"step 1 open",           "step 2 open",       "report progress 1",     "step 3 open",
         "report progress 2",     "step 4 open",       "report progress 3",     "finish step 4",
         "report weights 4",      "report progress 4", "draft checkpoint 4",    "await agreement 4",
         "complete checkpoint 4", "step 5 open",       "step 6 open",           "report progress 5",
         "finish step 6",         "report progress 6", "evaluate 6 test",       "report weights 6",
         "draft checkpoint 6",    "await agreement 6", "complete checkpoint 6", "write result 6",
         "say finished 6",        "await end 6"});
  options.is_lowest = false;
  check(Walk(options).rest(),
        {"step 1 open", "step 2 open", "step 3 open", "step 4 open", "finish step 4",
         "report weights 4", "step 5 open", "step 6 open", "finish step 6", "report weights 6",
         "say finished 6", "await end 6"});
}

BOOST_AUTO_TEST_CASE(a_stop_finishes_the_open_step_and_goes_on_to_its_last) {
  Options options = aJob(/*is_lowest=*/false);
  options.overlaps = true;
  options.checkpoint_every = 0;
  Walk walk(options);
  walk.goes(Outcome::kDone).isAsked({.after = 3}).goes(Outcome::kDone);
  check(walk.rest(), {"finish step 2", "step 3 open", "finish step 3", "report weights 3",
                      "say stopped 3", "await end 3"});
}

BOOST_AUTO_TEST_CASE(an_open_step_without_its_sums_is_not_done) {
  for (const Outcome outcome : {Outcome::kNoSum, Outcome::kNotBegun}) {
    Options options = aJob(/*is_lowest=*/true);
    options.overlaps = true;
    options.checkpoint_every = 0;
    Walk walk(options);
    walk.goes(Outcome::kDone).goes(Outcome::kDone);  // 1 is done
    walk.until(Task::kStep).isAsked({.after = 0}).goes(outcome);
    const std::string done = outcome == Outcome::kNoSum ? "1" : "2";
    Texts wanted{"report progress 2"};
    if (outcome == Outcome::kNoSum) wanted.clear();
    for (const char* const task : {"report weights ", "draft checkpoint ", "await agreement ",
                                   "complete checkpoint ", "say stopped ", "await end "})
      wanted.push_back(task + done);
    check(walk.rest(), wanted);
  }
}

BOOST_AUTO_TEST_CASE(weights_are_reported_every_hundred_steps_and_once) {
  for (const bool is_lowest : {true, false}) {
    Walk walk({.total_steps = 200, .is_lowest = is_lowest});
    walk.until(Task::kReportWeights);
    BOOST_TEST(walk.next().step == 100);
    walk.goes(Outcome::kDone).until(Task::kReportWeights);
    BOOST_TEST(walk.next().step == 200);
    for (const std::string& action : walk.goes(Outcome::kDone).rest())
      BOOST_TEST(!action.starts_with("report weights"));
  }
}

BOOST_AUTO_TEST_CASE(text_is_watched_on_one_split_and_tested_at_the_end) {
  Options options = aJob(/*is_lowest=*/true);
  options.is_text = true;
  Walk walk(options);
  BOOST_TEST((walk.until(Task::kEvaluate).next() == Action{Task::kEvaluate, 3, Splits::kValid}));
  walk.goes(Outcome::kDone).until(Task::kEvaluate);
  BOOST_TEST((walk.next() == Action{Task::kEvaluate, 6, Splits::kValid}));
  walk.goes(Outcome::kDone).until(Task::kEvaluate);
  BOOST_TEST((walk.next() == Action{Task::kEvaluate, 6, Splits::kTest}));

  options.evaluation_every_epochs = 0;
  Walk unwatched(options);
  unwatched.until(Task::kEvaluate);
  BOOST_TEST((unwatched.next() == Action{Task::kEvaluate, 6, Splits::kBoth}));
}

BOOST_AUTO_TEST_CASE(images_are_evaluated_at_the_end_where_the_last_epoch_was_not) {
  Options options = aJob(/*is_lowest=*/true);
  options.evaluation_every_epochs = 4;
  Walk walk(options);
  walk.until(Task::kEvaluate);
  BOOST_TEST((walk.next() == Action{Task::kEvaluate, 6, Splits::kTest}));
  walk.goes(Outcome::kDone);
  BOOST_TEST(walk.next().task == Task::kWriteResult);
}

BOOST_AUTO_TEST_CASE(without_a_folder_no_checkpoint_is_written_but_weights_are_compared) {
  Options options = aJob(/*is_lowest=*/true);
  options.keeps_checkpoints = false;
  const Texts rest = Walk(options).rest();
  BOOST_TEST(std::ranges::count(rest, "report weights 2") == 1);
  for (const std::string& action : rest)
    BOOST_TEST(!action.starts_with("draft checkpoint"));
  BOOST_TEST(std::ranges::count(rest, "await agreement 6") == 1);  // for the result
  BOOST_TEST(std::ranges::count(rest, "complete checkpoint 6") == 0);
}

// The order to write may come while the others are told that this worker has stopped.
BOOST_AUTO_TEST_CASE(what_was_not_drafted_is_not_completed) {
  Walk walk(aJob(/*is_lowest=*/false));
  walk.isAsked({.after = 0}).goes(Outcome::kNoSum).goes(Outcome::kDone);
  BOOST_TEST(walk.next().task == Task::kSayStopped);
  walk.isAsked({.after = 0, .writes = true}).goes(Outcome::kDone);
  BOOST_TEST(walk.next().task == Task::kAwaitEnd);
}

BOOST_AUTO_TEST_CASE(a_job_that_resumes_goes_on_after_its_checkpoint) {
  Options options = aJob(/*is_lowest=*/false);
  options.from = 5;
  check(Walk(options).rest(), {"step 6", "report weights 6", "say finished 6", "await end 6"});
  options.from = 6;
  check(Walk(options).rest(), {"report weights 6", "say finished 6", "await end 6"});
  options.from = 7;
  BOOST_CHECK_THROW(Walk{options}, InvariantViolation);
}

BOOST_AUTO_TEST_CASE(a_stop_lets_the_agreed_step_be_the_last) {
  Walk walk(aJob(/*is_lowest=*/true));
  walk.isAsked({.after = 3}).goes(Outcome::kDone).until(Task::kEvaluate).goes(Outcome::kDone);
  check(walk.rest(), {"report weights 3", "draft checkpoint 3", "await agreement 3",
                      "complete checkpoint 3", "say stopped 3", "await end 3"});
}

BOOST_AUTO_TEST_CASE(a_stop_before_the_first_step_is_one_after_the_checkpoint) {
  TrainingCourse course(aJob(/*is_lowest=*/false));
  BOOST_TEST((course.begin({.after = 0}) == Action{Task::kReportWeights, 0}));
  BOOST_TEST((course.next(Outcome::kDone, {.after = 0}) == Action{Task::kSayStopped, 0}));
}

BOOST_AUTO_TEST_CASE(a_stop_at_once_gives_up_the_step_that_is_open) {
  for (const bool is_lowest : {true, false}) {
    for (const bool writes : {true, false}) {
      Walk walk(aJob(is_lowest));
      walk.goes(Outcome::kDone).until(Task::kStep);
      BOOST_TEST(walk.next().step == 2);
      walk.isAsked({.after = 0, .writes = writes}).goes(Outcome::kNoSum);
      Texts wanted{"report weights 1"};
      if (is_lowest || writes)
        wanted.insert(wanted.end(),
                      {"draft checkpoint 1", "await agreement 1", "complete checkpoint 1"});
      wanted.emplace_back("say stopped 1");
      wanted.emplace_back("await end 1");
      check(walk.rest(), wanted);
    }
  }
}

// Whoever has the weights of the last step has all of the job.
BOOST_AUTO_TEST_CASE(a_stop_after_the_last_step_changes_nothing) {
  Walk walk(aJob(/*is_lowest=*/false));
  walk.isAsked({.after = 6}).until(Task::kSayFinished);
  Options options = aJob(/*is_lowest=*/true);
  options.checkpoint_every = 0;
  Walk late(options);
  late.until(Task::kAwaitAgreement).isAsked({.after = 0}).until(Task::kSayFinished);
}

BOOST_AUTO_TEST_CASE(a_failure_is_told_and_ends_with_the_job) {
  for (const Task task :
       {Task::kStep, Task::kDraftCheckpoint, Task::kCompleteCheckpoint, Task::kWriteResult}) {
    Walk walk(aJob(/*is_lowest=*/true));
    walk.until(task).goes(Outcome::kFailed);
    BOOST_TEST(walk.next().task == Task::kSayFailed);
    walk.goes(Outcome::kDone);
    BOOST_TEST(walk.next().task == Task::kAwaitEnd);
    walk.goes(Outcome::kEnded);
    BOOST_TEST(walk.next().task == Task::kExit);
  }
}

BOOST_AUTO_TEST_CASE(a_job_that_has_ended_is_left_at_once) {
  for (const Task task : {Task::kStep, Task::kAwaitAgreement}) {
    Walk walk(aJob(/*is_lowest=*/true));
    walk.until(task).goes(Outcome::kEnded);
    BOOST_TEST(walk.next().task == Task::kExit);
  }
}

BOOST_AUTO_TEST_CASE(a_result_is_removed_unless_the_job_ends_with_it) {
  Walk failed(aJob(/*is_lowest=*/true));
  failed.until(Task::kAwaitEnd).goes(Outcome::kEnded);
  BOOST_TEST(failed.next().task == Task::kRemoveResult);
  BOOST_TEST(failed.goes(Outcome::kDone).next().task == Task::kExit);

  Walk complete(aJob(/*is_lowest=*/true));
  complete.until(Task::kAwaitEnd).goes(Outcome::kDone);
  BOOST_TEST(complete.next().task == Task::kExit);

  Walk other(aJob(/*is_lowest=*/false));  // it has none
  other.until(Task::kAwaitEnd).goes(Outcome::kEnded);
  BOOST_TEST(other.next().task == Task::kExit);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::training_course_test
