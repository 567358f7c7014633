#include <chrono>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/unit/exchange/course/course_walk.h"

// How training goes on from roster to roster: halts, and what follows them.

namespace sumac::worker::training_course_test {

BOOST_AUTO_TEST_SUITE(training_course)

BOOST_AUTO_TEST_CASE(a_roster_begins_with_what_is_missing_of_its_first_state) {
  Options options = aJob(/*is_writer=*/true);
  options.checkpoint_every = 0;
  options.from = 4;
  options.owes_evaluation = true;
  for (const bool lacks_state : {false, true}) {
    for (const bool reports : {false, true}) {
      options.lacks_state = lacks_state;
      options.reports_first = reports;
      Texts wanted;
      if (lacks_state) wanted.emplace_back("receive state 4");
      if (reports) wanted.emplace_back("report weights 4");
      wanted.insert(wanted.end(), {"evaluate 4 test", "step 5"});
      Texts found = Walk(options).rest();
      found.resize(wanted.size());
      check(found, wanted);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_stop_before_the_state_has_come_writes_none) {
  Options options = aJob(/*is_writer=*/true);
  options.from = 4;
  options.lacks_state = options.reports_first = true;
  Walk walk(options);
  walk.isAsked({.after = 0, .writes = true}).goes(Outcome::kNoSum);
  check(walk.rest(), {"say stopped 4", "await end 4"});
}

BOOST_AUTO_TEST_CASE(a_halt_comes_after_its_last_step_and_what_that_asks_for) {
  Walk walk(aJob(/*is_writer=*/true));
  walk.isAsked({.after = 2, .halts = true});
  check(walk.untilAnew(), {"step 1", "report progress 1", "step 2", "report weights 2",
                           "report progress 2", "draft checkpoint 2", "await agreement 2",
                           "complete checkpoint 2", "say halted 2", "await roster 2"});
  Options options = aJob(/*is_writer=*/true);
  options.overlaps = true;
  options.checkpoint_every = 0;
  Walk open(options);
  open.goes(Outcome::kDone).isAsked({.after = 2, .halts = true});
  check(open.untilAnew(), {"step 2 open", "report progress 1", "finish step 2", "report progress 2",
                           "say halted 2", "await roster 2"});
}

BOOST_AUTO_TEST_CASE(a_halt_ends_each_wait) {
  for (const Task task : {Task::kReceiveState, Task::kStep, Task::kFinishStep,
                          Task::kAwaitAgreement, Task::kAwaitEnd}) {
    Options options = aJob(/*is_writer=*/true);
    options.lacks_state = true;
    options.overlaps = task == Task::kFinishStep;
    Walk walk(options);
    walk.until(task).isAsked({.after = 0, .halts = true}).goes(Outcome::kNoSum);
    BOOST_TEST(walk.next().task == Task::kSayHalted);
    walk.goes(Outcome::kDone);
    BOOST_TEST(walk.next().task == Task::kAwaitRoster);
  }
}

BOOST_AUTO_TEST_CASE(
    a_draft_that_waits_while_a_step_is_open_is_given_up_and_that_step_ended_first) {
  Walk walk({.total_steps = 40,
             .checkpoint_interval = std::chrono::seconds(1),
             .is_writer = true,
             .keeps_checkpoints = true,
             .overlaps = true});
  walk.at(std::chrono::seconds(1)).until(Task::kAwaitAgreement);
  BOOST_TEST(walk.next().step == 10);
  walk.isAsked({.after = 0, .halts = true}).goes(Outcome::kNoSum);
  BOOST_TEST((walk.next() == Action{Task::kFinishStep, 11}));
  BOOST_TEST(!walk.course().hasDraft());
  walk.goes(Outcome::kNoSum);
  BOOST_TEST((walk.next() == Action{Task::kSayHalted, 10}));
}

BOOST_AUTO_TEST_CASE(a_stop_that_comes_while_it_is_halted_is_a_stop) {
  Walk walk(aJob(/*is_writer=*/true));
  walk.until(Task::kStep).goes(Outcome::kDone).until(Task::kStep);
  walk.isAsked({.after = 0, .halts = true}).goes(Outcome::kNoSum).until(Task::kAwaitRoster);
  walk.isAsked({.after = 0}).goes(Outcome::kNoSum);
  check(walk.rest(), {"report weights 1", "draft checkpoint 1", "await agreement 1",
                      "complete checkpoint 1", "say stopped 1", "await end 1"});
}

BOOST_AUTO_TEST_CASE(the_job_may_end_while_it_is_halted) {
  Walk walk(aJob(/*is_writer=*/false));
  walk.isAsked({.after = 0, .halts = true}).goes(Outcome::kNoSum).until(Task::kAwaitRoster);
  BOOST_TEST(walk.goes(Outcome::kEnded).next().task == Task::kExit);

  Walk complete(aJob(/*is_writer=*/true));  // with its result
  complete.until(Task::kAwaitEnd).isAsked({.after = 0, .halts = true}).goes(Outcome::kNoSum);
  complete.until(Task::kAwaitRoster).goes(Outcome::kComplete);
  BOOST_TEST(complete.next().task == Task::kExit);
}

BOOST_AUTO_TEST_CASE(with_another_roster_it_goes_on_from_there) {
  Options options = aJob(/*is_writer=*/false);
  Walk walk(options);
  walk.isAsked({.after = 3, .halts = true}).untilAnew();
  options.from = 4;  // another had a step more
  options.lacks_state = options.reports_first = true;
  check(walk.anew(options).rest(), {"receive state 4", "report weights 4", "step 5", "step 6",
                                    "report weights 6", "say finished 6", "await end 6"});

  Walk writer(aJob(/*is_writer=*/false));  // becomes it
  writer.isAsked({.after = 3, .halts = true}).untilAnew();
  options = aJob(/*is_writer=*/true);
  options.from = 3;
  options.owes_evaluation = true;
  Texts found = writer.anew(options).rest();
  found.resize(3);
  check(found, {"evaluate 3 test", "step 4", "report weights 4"});
}

// Nobody may have told that all have its weights, as that is known when they go on with them.
BOOST_AUTO_TEST_CASE(a_draft_is_completed_once_all_go_on_from_its_step) {
  struct Case {
    Step from;
    bool is_writer;
    bool lacks_state;
    bool is_completed;
  };
  for (const Case& one : {Case{2, true, false, true}, Case{3, true, true, false},
                          Case{2, false, false, false}, Case{2, true, true, false}}) {
    Options options = aJob(/*is_writer=*/true);
    Walk walk(options);
    walk.until(Task::kAwaitAgreement).isAsked({.after = 0, .halts = true}).goes(Outcome::kNoSum);
    walk.untilAnew();
    options.from = one.from;
    options.is_writer = one.is_writer;
    options.lacks_state = one.lacks_state;
    options.reports_first = true;
    walk.anew(options);
    BOOST_TEST(walk.course().hasDraft() == one.is_completed);
    const std::string step = std::to_string(one.from);
    Texts wanted;
    if (one.lacks_state) wanted.push_back("receive state " + step);
    wanted.push_back("report weights " + step);
    if (one.is_completed) {
      wanted.push_back("await agreement " + step);
      wanted.push_back("complete checkpoint " + step);
    }
    wanted.push_back("step " + std::to_string(one.from + 1));
    Texts found = walk.rest();
    found.resize(wanted.size());
    check(found, wanted);
  }
}

BOOST_AUTO_TEST_CASE(an_evaluation_that_is_done_is_not_repeated_after_a_halt) {
  Options options = aJob(/*is_writer=*/true);
  Walk walk(options);
  walk.isAsked({.after = 3, .halts = true}).untilAnew();
  options.from = 3;
  options.owes_evaluation = true;  // the coordinator has not heard of it
  BOOST_TEST((walk.anew(options).next() == Action{Task::kStep, 4}));
}

// As where one is lost that the others need at the very end.
BOOST_AUTO_TEST_CASE(a_halt_after_the_last_step_finishes_with_the_next_roster) {
  Options options = aJob(/*is_writer=*/true);
  options.checkpoint_every = 0;
  Walk walk(options);
  walk.until(Task::kAwaitAgreement).isAsked({.after = 0, .halts = true}).goes(Outcome::kNoSum);
  check(walk.untilAnew(), {"say halted 6", "await roster 6"});
  options.from = 6;
  options.reports_first = true;
  check(walk.anew(options).rest(),
        {"report weights 6", "await agreement 6", "write model 6", "draft checkpoint 6",
         "complete checkpoint 6", "evaluate 6 test", "write result 6", "say finished 6",
         "await end 6"});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::training_course_test
