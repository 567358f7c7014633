#include "cli/experiment/scale_course.h"

#include <boost/test/unit_test.hpp>

namespace sumac::cli::scale_course_test {
namespace {

/// A moment of the test, in seconds.
TimePoint second(double seconds) {
  return TimePoint{} + std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

struct Fixture {
  ScaleCourse course{{{0, 1}, {2, 4}, {3, 2}}};

  void step(Step step, double at) {
    Progress progress;
    progress.step = step;
    progress.loss = 0.5;
    course.onEvent(progress, second(at));
  }
  void checkpoint(Step step, double at) { course.onEvent(CheckpointWritten{step}, second(at)); }
  void roster(int workers, Step start, double at) {
    RosterBegan joined{{{Role::kServer, 0}}, start};
    for (int i = 0; i < workers; ++i)
      joined.members.insert({Role::kWorker, i});
    course.onEvent(joined, second(at));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(scale_course, Fixture)

BOOST_AUTO_TEST_CASE(times_count_from_the_first_step) {
  BOOST_TEST(course.workers() == 1);
  BOOST_TEST(!course.stopAt().has_value());
  step(1, 10);
  BOOST_TEST((course.stopAt() == second(12)));
}

BOOST_AUTO_TEST_CASE(a_change_costs_what_lies_between_two_steps) {
  step(1, 10);
  step(11, 12);
  checkpoint(11, 12.5);
  course.moveOn();
  BOOST_TEST(course.workers() == 4);
  BOOST_TEST(!course.stopAt().has_value());  // nobody has seen a step of four workers
  step(12, 14);

  const auto record = course.take("sha");
  BOOST_TEST_REQUIRE(record.changes.size() == 1U);
  BOOST_TEST((record.changes[0] == experiment::ScaleChange{2, 11, 1, 4, 2}));
  BOOST_TEST(record.restarts == 1);
  BOOST_TEST(record.parameters_sha256 == "sha");
  BOOST_TEST_REQUIRE(record.points.size() == 3U);
  BOOST_TEST((record.points[2] == experiment::ScalePoint{4, 4, 12, 0.5, 0.5}));
}

BOOST_AUTO_TEST_CASE(steps_say_where_the_time_of_each_attempt_went) {
  const auto say = [this](Step step, double at, const experiment::StepPhases& so_far) {
    Progress progress;
    progress.step = step;
    progress.gradient_seconds = so_far.gradient_seconds;
    progress.update_seconds = so_far.update_seconds;
    progress.sum_wait_seconds = so_far.sum_wait_seconds;
    progress.data_wait_seconds = so_far.data_wait_seconds;
    course.onEvent(progress, second(at));
  };
  say(1, 10, {5, 1, 1, 0});
  say(8, 12, {6, 2, 1, 0});
  course.moveOn();
  say(9, 14, {0.5, 0, 0, 0});
  say(24, 15, {10, 1, 2, 4});

  const auto times = course.take("").times;
  BOOST_TEST_REQUIRE(times.size() == 2U);
  BOOST_TEST((times[0] == experiment::ScaleTimes{1, 8, {0.75, 0.25, 0.125, 0}}));
  BOOST_TEST((times[1] == experiment::ScaleTimes{4, 16, {0.625, 0.0625, 0.125, 0.25}}));
}

BOOST_AUTO_TEST_CASE(steps_up_to_the_checkpoint_count_though_nobody_told_them) {
  step(1, 10);
  step(11, 11);        // ten a second
  checkpoint(16, 13);  // so this step ended at 11.5
  course.moveOn();
  step(17, 14);

  const auto record = course.take("");
  BOOST_TEST(record.changes[0].step == 16);
  BOOST_TEST(record.changes[0].cost_seconds == 2.5, boost::test_tools::tolerance(1e-6));
}

BOOST_AUTO_TEST_CASE(steps_before_an_attempts_first_line_are_no_part_of_its_cost) {
  step(1, 10);
  checkpoint(2, 12);
  course.moveOn();
  step(8, 15);  // five steps after the attempt's first
  step(18, 16);
  BOOST_TEST(course.take("").changes[0].cost_seconds == 2.5, boost::test_tools::tolerance(1e-6));
}

BOOST_AUTO_TEST_CASE(no_number_of_workers_is_left_out_because_it_is_late) {
  step(1, 10);
  checkpoint(2, 12.2);
  course.moveOn();
  step(3, 20);  // later than the third number's time
  BOOST_TEST(course.workers() == 4);
  BOOST_TEST((course.stopAt() == second(13)));
  course.moveOn();
  BOOST_TEST(course.workers() == 2);
  BOOST_TEST(!course.stopAt().has_value());
  step(4, 21);
  BOOST_TEST(!course.stopAt().has_value());  // the script is over
  BOOST_TEST(course.missing() == "");
  BOOST_TEST(course.take("").changes[1].seconds == 10);  // asked for at that step
}

BOOST_AUTO_TEST_CASE(in_place_the_next_number_begins_with_the_roster_that_has_it) {
  course = ScaleCourse{{{0, 1}, {2, 3}}, ScaleCourse::Means::kInPlace};
  roster(1, 0, 9);
  step(1, 10);
  BOOST_TEST(!course.stopAt().has_value());
  BOOST_TEST((course.resizeAt()->time == second(12)));
  BOOST_TEST(course.resizeAt()->workers == 3);
  step(11, 11);  // ten a second
  course.onResize();
  roster(2, 12, 12.1);
  BOOST_TEST(course.workers() == 1);
  roster(3, 21, 12.5);  // so step 21 ended at 12
  BOOST_TEST(course.workers() == 3);
  BOOST_TEST(!course.resizeAt().has_value());
  step(22, 13);

  BOOST_TEST(course.missing() == "");
  const auto record = course.take("");
  BOOST_TEST_REQUIRE(record.changes.size() == 1U);
  BOOST_TEST((record.changes[0] == experiment::ScaleChange{2, 21, 1, 3, 1}));
}

BOOST_AUTO_TEST_CASE(a_record_has_the_workers_that_trained_whatever_the_script_says) {
  course = ScaleCourse{{{0, 3}, {60, 1}}, ScaleCourse::Means::kInPlace};
  roster(2, 0, 9);  // founded without the third
  step(1, 10);
  step(11, 11);
  roster(3, 11, 11.5);
  step(12, 12);
  roster(1, 12, 12.5);  // two are lost
  roster(2, 12, 13);
  step(13, 14);
  roster(1, 13, 14.5);
  roster(2, 13, 15);  // it is back before anybody has made a step
  step(14, 16);
  BOOST_TEST(course.workers() == 3);
  BOOST_TEST((course.resizeAt()->time == second(70)));

  const auto record = course.take("");
  std::vector<int> workers;
  for (const auto& point : record.points)
    workers.push_back(point.workers);
  BOOST_TEST(workers == (std::vector{2, 2, 3, 2, 2}), boost::test_tools::per_element());
  BOOST_TEST_REQUIRE(record.changes.size() == 2U);
  BOOST_TEST((record.changes[0] == experiment::ScaleChange{1.5, 11, 2, 3, 1}));
  BOOST_TEST((record.changes[1] == experiment::ScaleChange{2.5, 12, 3, 2, 2}));
}

BOOST_AUTO_TEST_CASE(a_number_that_trains_already_is_there_once_it_was_asked_for) {
  course = ScaleCourse{{{0, 3}, {2, 2}, {3, 1}}, ScaleCourse::Means::kInPlace};
  roster(3, 0, 9);
  step(1, 10);
  roster(2, 1, 11);  // the third is lost
  step(2, 11.5);
  BOOST_TEST(course.workers() == 3);
  BOOST_TEST((course.resizeAt()->time == second(12)));
  course.onAsked(/*is_certain=*/false);
  BOOST_TEST(course.isAsked());  // the third may come back yet
  course.onResize();
  BOOST_TEST(course.workers() == 2);
  BOOST_TEST(!course.changeAt().has_value());
  step(3, 13);
  BOOST_TEST((course.resizeAt()->time == second(13)));
  BOOST_TEST(course.resizeAt()->workers == 1);

  const auto record = course.take("");
  BOOST_TEST_REQUIRE(record.changes.size() == 1U);
  BOOST_TEST((record.changes[0] == experiment::ScaleChange{1, 1, 3, 2, 1.5}));
}

// The number that is due after the loss of a worker is not there because of it: once the worker is
// back, it would train on.
BOOST_AUTO_TEST_CASE(a_roster_that_nobody_asked_for_moves_no_script) {
  course = ScaleCourse{{{0, 2}, {2, 1}}, ScaleCourse::Means::kInPlace};
  step(1, 10);
  roster(1, 2, 12.5);
  step(2, 13);
  BOOST_TEST((course.resizeAt()->time == second(12)));
  BOOST_TEST(course.missing() != "");
}

BOOST_AUTO_TEST_CASE(an_end_before_the_script_names_what_is_missing) {
  step(1, 10);
  step(2, 10.5);
  BOOST_TEST(course.missing().find(" 500 ms ") != std::string::npos);
  step(3, 12);
  course.moveOn();  // and the next attempt ends without a step
  BOOST_TEST(course.missing().find("4 workers at 2 s") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_step_that_is_told_again_is_not_another_point) {
  step(1, 10);
  step(1, 11);
  BOOST_TEST(course.take("").points.size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::scale_course_test
