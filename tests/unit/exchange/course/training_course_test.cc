#include "exchange/course/training_course.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/unit/exchange/course/course_walk.h"

namespace sumac::worker::training_course_test {

BOOST_AUTO_TEST_SUITE(training_course)

BOOST_AUTO_TEST_CASE(worker_0_reports_evaluates_and_writes_files) {
  check(Walk(aJob(/*is_writer=*/true)).rest(), {"step 1",
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
                                                "report weights 6",
                                                "await agreement 6",
                                                "write model 6",
                                                "draft checkpoint 6",
                                                "complete checkpoint 6",
                                                "evaluate 6 test",
                                                "write result 6",
                                                "say finished 6",
                                                "await end 6"});
}

BOOST_AUTO_TEST_CASE(the_others_compute_and_report_their_weights_at_the_same_steps) {
  check(Walk(aJob(/*is_writer=*/false)).rest(),
        {"step 1", "step 2", "report weights 2", "step 3", "step 4", "report weights 4", "step 5",
         "step 6", "report weights 6", "say finished 6", "await end 6"});
}

BOOST_AUTO_TEST_CASE(a_step_is_left_open_unless_what_follows_needs_its_weights) {
  Options options = aJob(/*is_writer=*/true);
  options.overlaps = true;
  options.checkpoint_every = 4;
  options.steps_per_epoch = 6;
  check(Walk(options).rest(),
        {"step 1 open",           "step 2 open",           "report progress 1",
         "step 3 open",           "report progress 2",     "step 4 open",
         "report progress 3",     "finish step 4",         "report weights 4",
         "report progress 4",     "draft checkpoint 4",    "await agreement 4",
         "complete checkpoint 4", "step 5 open",           "step 6 open",
         "report progress 5",     "finish step 6",         "report progress 6",
         "report weights 6",      "await agreement 6",     "write model 6",
         "draft checkpoint 6",    "complete checkpoint 6", "evaluate 6 test",
         "write result 6",        "say finished 6",        "await end 6"});
  options.is_writer = false;
  check(Walk(options).rest(),
        {"step 1 open", "step 2 open", "step 3 open", "step 4 open", "finish step 4",
         "report weights 4", "step 5 open", "step 6 open", "finish step 6", "report weights 6",
         "say finished 6", "await end 6"});
}

BOOST_AUTO_TEST_CASE(a_stop_finishes_the_open_step_and_goes_on_to_its_last) {
  Options options = aJob(/*is_writer=*/false);
  options.overlaps = true;
  options.checkpoint_every = 0;
  Walk walk(options);
  walk.goes(Outcome::kDone).isAsked({.after = 3}).goes(Outcome::kDone);
  check(walk.rest(), {"finish step 2", "step 3 open", "finish step 3", "report weights 3",
                      "say stopped 3", "await end 3"});
}

BOOST_AUTO_TEST_CASE(an_open_step_without_its_sums_is_not_done) {
  for (const Outcome outcome : {Outcome::kNoSum, Outcome::kNotBegun}) {
    Options options = aJob(/*is_writer=*/true);
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
  for (const bool is_writer : {true, false}) {
    Walk walk({.total_steps = 200, .is_writer = is_writer});
    walk.until(Task::kReportWeights);
    BOOST_TEST(walk.next().step == 100);
    walk.goes(Outcome::kDone).until(Task::kReportWeights);
    BOOST_TEST(walk.next().step == 200);
    for (const std::string& action : walk.goes(Outcome::kDone).rest())
      BOOST_TEST(!action.starts_with("report weights"));
  }
}

BOOST_AUTO_TEST_CASE(text_is_watched_on_one_split_and_tested_at_the_end) {
  Options options = aJob(/*is_writer=*/true);
  options.is_validated = true;
  Walk walk(options);
  BOOST_TEST((walk.until(Task::kEvaluate).next() == Action{Task::kEvaluate, 3, Splits::kValid}));
  walk.goes(Outcome::kDone).until(Task::kEvaluate);
  BOOST_TEST((walk.next() == Action{Task::kEvaluate, 6, Splits::kBoth}));

  options.evaluation_every_epochs = 0;
  Walk unwatched(options);
  unwatched.until(Task::kEvaluate);
  BOOST_TEST((unwatched.next() == Action{Task::kEvaluate, 6, Splits::kBoth}));
}

BOOST_AUTO_TEST_CASE(images_are_evaluated_at_the_end_where_the_last_epoch_was_not) {
  Options options = aJob(/*is_writer=*/true);
  options.evaluation_every_epochs = 4;
  Walk walk(options);
  walk.until(Task::kEvaluate);
  BOOST_TEST((walk.next() == Action{Task::kEvaluate, 6, Splits::kTest}));
  walk.goes(Outcome::kDone);
  BOOST_TEST(walk.next().task == Task::kWriteResult);
}

BOOST_AUTO_TEST_CASE(without_a_folder_no_checkpoint_is_written_but_weights_are_compared) {
  Options options = aJob(/*is_writer=*/true);
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
  Walk walk(aJob(/*is_writer=*/false));
  walk.isAsked({.after = 0}).goes(Outcome::kNoSum).goes(Outcome::kDone);
  BOOST_TEST(walk.next().task == Task::kSayStopped);
  walk.isAsked({.after = 0, .writes = true}).goes(Outcome::kDone);
  BOOST_TEST(walk.next().task == Task::kAwaitEnd);
}

BOOST_AUTO_TEST_CASE(a_job_that_resumes_goes_on_after_its_checkpoint) {
  Options options = aJob(/*is_writer=*/false);
  options.from = 5;
  check(Walk(options).rest(), {"step 6", "report weights 6", "say finished 6", "await end 6"});
  options.from = 6;
  check(Walk(options).rest(), {"report weights 6", "say finished 6", "await end 6"});
  options.from = 7;
  BOOST_CHECK_THROW(Walk{options}, InvariantViolation);
}

BOOST_AUTO_TEST_CASE(a_stop_lets_the_agreed_step_be_the_last) {
  Walk walk(aJob(/*is_writer=*/true));
  walk.isAsked({.after = 3}).goes(Outcome::kDone).until(Task::kEvaluate).goes(Outcome::kDone);
  check(walk.rest(), {"report weights 3", "draft checkpoint 3", "await agreement 3",
                      "complete checkpoint 3", "say stopped 3", "await end 3"});
}

BOOST_AUTO_TEST_CASE(a_stop_before_the_first_step_is_one_after_the_checkpoint) {
  TrainingCourse course(aJob(/*is_writer=*/false));
  BOOST_TEST((course.begin({.after = 0}, {}) == Action{Task::kReportWeights, 0}));
  BOOST_TEST((course.next(Outcome::kDone, {.after = 0}, {}) == Action{Task::kSayStopped, 0}));
}

BOOST_AUTO_TEST_CASE(a_stop_at_once_gives_up_the_step_that_is_open) {
  for (const bool is_writer : {true, false}) {
    for (const bool writes : {true, false}) {
      Walk walk(aJob(is_writer));
      walk.goes(Outcome::kDone).until(Task::kStep);
      BOOST_TEST(walk.next().step == 2);
      walk.isAsked({.after = 0, .writes = writes}).goes(Outcome::kNoSum);
      Texts wanted{"report weights 1"};
      if (is_writer || writes)
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
  Walk walk(aJob(/*is_writer=*/false));
  walk.isAsked({.after = 6}).until(Task::kSayFinished);
  Options options = aJob(/*is_writer=*/true);
  options.checkpoint_every = 0;
  Walk late(options);
  late.until(Task::kAwaitAgreement).isAsked({.after = 0}).until(Task::kSayFinished);
}

BOOST_AUTO_TEST_CASE(a_failure_is_told_and_ends_with_the_job) {
  for (const Task task :
       {Task::kStep, Task::kDraftCheckpoint, Task::kCompleteCheckpoint, Task::kWriteResult}) {
    Walk walk(aJob(/*is_writer=*/true));
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
    Walk walk(aJob(/*is_writer=*/true));
    walk.until(task).goes(Outcome::kEnded);
    BOOST_TEST(walk.next().task == Task::kExit);
  }
}

BOOST_AUTO_TEST_CASE(a_result_is_removed_unless_the_job_ends_with_it) {
  Walk failed(aJob(/*is_writer=*/true));
  failed.until(Task::kAwaitEnd).goes(Outcome::kEnded);
  BOOST_TEST(failed.next().task == Task::kRemoveResult);
  BOOST_TEST(failed.goes(Outcome::kDone).next().task == Task::kExit);

  Walk complete(aJob(/*is_writer=*/true));
  complete.until(Task::kAwaitEnd).goes(Outcome::kDone);
  BOOST_TEST(complete.next().task == Task::kExit);

  Walk other(aJob(/*is_writer=*/false));  // it has none
  other.until(Task::kAwaitEnd).goes(Outcome::kEnded);
  BOOST_TEST(other.next().task == Task::kExit);
}

BOOST_AUTO_TEST_CASE(who_has_the_result_has_completed_the_job_whoever_is_lost_or_stops) {
  for (const ExitCode end : {ExitCode::kLostPeers, ExitCode::kStopped}) {
    BOOST_TEST(isCompleteAt(end, /*has_result=*/true));
    BOOST_TEST(!isCompleteAt(end, /*has_result=*/false));
  }
  BOOST_TEST(isCompleteAt(ExitCode::kDone, /*has_result=*/false));
  BOOST_TEST(!isCompleteAt(ExitCode::kFailed, /*has_result=*/true));
}

// Whatever is lost in the last evaluation, the training is not.
BOOST_AUTO_TEST_CASE(the_last_evaluation_comes_after_the_last_checkpoint) {
  for (const Step every : {0, 1, 2}) {
    Options options = aJob(/*is_writer=*/true);
    options.evaluation_every_epochs = every;
    const Texts rest = Walk(options).rest();
    const auto kept = std::ranges::find(rest, "complete checkpoint 6");
    BOOST_TEST_REQUIRE((kept != rest.end()));
    BOOST_TEST(std::count(rest.begin(), kept, "evaluate 6 test") == 0);
    BOOST_TEST(std::count(kept, rest.end(), "evaluate 6 test") == 1);
  }
}

BOOST_AUTO_TEST_CASE(a_checkpoint_by_time_is_of_the_first_tenth_step_after_the_interval) {
  Options options{.total_steps = 60,
                  .checkpoint_interval = std::chrono::seconds(5),
                  .is_writer = true,
                  .keeps_checkpoints = true};
  Walk walk(options);
  const auto isAt = [&](Step step) {
    walk.until(Task::kDraftCheckpoint);
    BOOST_TEST(walk.next().step == step);
    walk.goes(Outcome::kDone);
    BOOST_TEST((walk.next() == Action{Task::kAwaitAgreement, step}));
    walk.goes(Outcome::kDone);
    BOOST_TEST((walk.next() == Action{Task::kCompleteCheckpoint, step}));
  };
  const auto goToStep = [&](Step step) {
    while (walk.next() != Action{Task::kStep, step})
      walk.goes(Outcome::kDone);
  };
  goToStep(13);
  walk.at(std::chrono::seconds(5));
  isAt(20);
  // Counted from when it is complete.
  walk.at(std::chrono::seconds(8)).goes(Outcome::kDone);
  goToStep(29);
  walk.at(std::chrono::seconds(12));
  goToStep(31);  // without one
  walk.at(std::chrono::seconds(13));
  isAt(40);
  walk.goes(Outcome::kDone).until(Task::kDraftCheckpoint);
  BOOST_TEST(walk.next().step == 60);  // the last
}

BOOST_AUTO_TEST_CASE(a_checkpoint_by_time_leaves_the_next_step_open) {
  Options options{.total_steps = 40,
                  .checkpoint_interval = std::chrono::seconds(1),
                  .is_writer = true,
                  .keeps_checkpoints = true,
                  .overlaps = true};
  Walk walk(options);
  walk.until(Task::kReportWeights);
  BOOST_TEST(walk.next().step == 10);
  walk.at(std::chrono::seconds(1)).until(Task::kDraftCheckpoint);
  BOOST_TEST(walk.next().step == 10);
  walk.until(Task::kStep);
  BOOST_TEST(walk.next().step == 12);
  walk.until(Task::kFinishStep);
  BOOST_TEST(walk.next().step == 40);
}

// Worker 0 may look at its clock whenever it likes: it waits for reports that all make.
BOOST_AUTO_TEST_CASE(nobody_waits_for_a_report_that_the_others_do_not_make) {
  std::mt19937 random(7);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same draws each time
  const auto draw = [&random](int below) {
    return static_cast<int>(random() % static_cast<unsigned>(below));
  };
  for (int round = 0; round < 400; ++round) {
    Options options{.from = draw(3) * 7,
                    .total_steps = 15 + draw(150),
                    .steps_per_epoch = 1 + draw(30),
                    .evaluation_every_epochs = draw(3),
                    .checkpoint_every = draw(2) * (1 + draw(25)),
                    .checkpoint_interval = std::chrono::seconds(draw(4)),
                    .keeps_checkpoints = true,
                    .overlaps = draw(2) == 0,
                    .owes_evaluation = draw(2) == 0,
                    .reports_first = draw(2) == 0};
    const auto reportsOf = [&](bool is_writer, std::set<Step>& awaited) {
      options.is_writer = is_writer;
      TrainingCourse course(options);
      std::set<Step> reported;
      TimePoint now{};
      for (Action action = course.begin(kNoStop, now); action.task != Task::kExit;
           action = course.next(Outcome::kDone, kNoStop, now)) {
        if (action.task == Task::kReportWeights) BOOST_TEST(reported.insert(action.step).second);
        if (action.task == Task::kAwaitAgreement) BOOST_TEST(awaited.insert(action.step).second);
        now += std::chrono::milliseconds(draw(700));
      }
      return reported;
    };
    std::set<Step> awaited;
    std::set<Step> none;
    const std::set<Step> by_worker0 = reportsOf(/*is_writer=*/true, awaited);
    const std::set<Step> by_others = reportsOf(/*is_writer=*/false, none);
    BOOST_TEST(by_worker0 == by_others, boost::test_tools::per_element());
    BOOST_TEST(std::ranges::includes(by_others, awaited));
    BOOST_TEST(none.empty());
  }
}

BOOST_AUTO_TEST_CASE(an_evaluation_that_was_lost_is_repeated_before_the_next_step) {
  Options options = aJob(/*is_writer=*/true);
  options.from = 4;
  options.owes_evaluation = true;
  Walk walk(options);
  BOOST_TEST((walk.next() == Action{Task::kEvaluate, 4, Splits::kTest}));
  walk.goes(Outcome::kDone);
  BOOST_TEST((walk.next() == Action{Task::kStep, 5}));
  BOOST_TEST(std::ranges::count(walk.rest(), "evaluate 4 test") == 0);

  options.from = 6;  // there is one after the last step anyway
  BOOST_TEST(std::ranges::count(Walk(options).rest(), "evaluate 6 test") == 1);
  options.is_writer = false;
  options.from = 4;
  BOOST_TEST((Walk(options).next() == Action{Task::kStep, 5}));
}

BOOST_AUTO_TEST_CASE(a_stop_breaks_an_evaluation_off_and_the_steps_up_to_it_are_done) {
  Walk walk(aJob(/*is_writer=*/true));
  walk.until(Task::kEvaluate).isAsked({.after = 4}).goes(Outcome::kBrokenOff);
  BOOST_TEST((walk.next() == Action{Task::kStep, 4}));
  const Texts rest = walk.rest();
  BOOST_TEST(rest.back() == "await end 4");
  BOOST_TEST(std::ranges::count(rest, "complete checkpoint 4") == 1);
}

// Its checkpoint is there already.
BOOST_AUTO_TEST_CASE(a_stop_in_the_last_evaluation_leaves_it_to_a_resumed_job) {
  Options options = aJob(/*is_writer=*/true);
  options.evaluation_every_epochs = 0;
  Walk walk(options);
  walk.until(Task::kEvaluate).isAsked({.after = 7}).goes(Outcome::kBrokenOff);
  check(walk.rest(), {"say stopped 6", "await end 6"});
}

BOOST_AUTO_TEST_CASE(a_job_is_complete_without_its_last_checkpoint) {
  for (const auto& [task, outcome] : {std::pair(Task::kDraftCheckpoint, Outcome::kSkipped),
                                      std::pair(Task::kDraftCheckpoint, Outcome::kNotKept),
                                      std::pair(Task::kCompleteCheckpoint, Outcome::kSkipped),
                                      std::pair(Task::kCompleteCheckpoint, Outcome::kNotKept)}) {
    Options options = aJob(/*is_writer=*/true);
    options.checkpoint_every = 0;
    Walk walk(options);
    walk.until(task).goes(outcome);
    check(walk.rest(), {"evaluate 6 test", "write result 6", "say finished 6", "await end 6"});
  }
}

BOOST_AUTO_TEST_CASE(a_stop_without_its_checkpoint_is_a_failure) {
  for (const Outcome outcome : {Outcome::kSkipped, Outcome::kNotKept}) {
    Walk walk(aJob(/*is_writer=*/true));
    walk.isAsked({.after = 1}).until(Task::kDraftCheckpoint).goes(outcome);
    BOOST_TEST(walk.next().task == Task::kSayFailed);
  }
}

BOOST_AUTO_TEST_CASE(training_goes_on_without_room_for_a_checkpoint_but_not_on_storage_that_fails) {
  Walk walk(aJob(/*is_writer=*/true));
  walk.until(Task::kDraftCheckpoint).goes(Outcome::kSkipped);
  BOOST_TEST((walk.next() == Action{Task::kStep, 3}));
  walk.until(Task::kDraftCheckpoint);
  BOOST_TEST(walk.next().step == 4);  // tried again
  walk.goes(Outcome::kNotKept);
  BOOST_TEST(walk.next().task == Task::kSayFailed);
}

// With every roster, whoever founded the job: the one that began it may be lost before it is made.
BOOST_AUTO_TEST_CASE(an_evaluation_that_is_neither_known_nor_written_is_missing) {
  struct Case {
    Step from;
    Step evaluated;               // that the coordinator knows of
    std::optional<Step> written;  // none: there is no folder
    bool is_owed;
  };
  constexpr Step kEvery = 4;
  for (const Case& one :
       {Case{3, 0, 0, false}, Case{4, 0, 0, true}, Case{9, 4, 4, true}, Case{9, 8, 4, false},
        Case{9, 0, 8, false}, Case{9, 0, 9, false}, Case{8, 4, 8, false},
        Case{8, 4, std::nullopt, true}, Case{9, 4, std::nullopt, false}}) {
    const auto written = [&one] { return one.written; };
    BOOST_TEST(owesEvaluation(one.from, kEvery, one.evaluated, written) == one.is_owed,
               "after step " << one.from << ", " << one.evaluated << " is known");
    BOOST_TEST(!owesEvaluation(one.from, /*every=*/0, one.evaluated, written));
  }
  BOOST_TEST(!owesEvaluation(9, kEvery, /*evaluated=*/8, []() -> std::optional<Step> {
    throw std::logic_error("the folder is read although all is known");
  }));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::training_course_test
