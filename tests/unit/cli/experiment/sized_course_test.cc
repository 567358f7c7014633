#include "cli/experiment/sized_course.h"

#include <filesystem>
#include <string>

#include <boost/test/unit_test.hpp>

#include "base/core/file.h"
#include "tests/support/temporary_folder.h"

namespace sumac::cli::sized_course_test {
namespace {

using experiment::ScriptedEvent;
using Kind = ScriptedEvent::Kind;

/// A moment of the test, in seconds.
TimePoint moment(double seconds) {
  return TimePoint{} + std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

/// A cell of V = 8 and 1 to 4 workers.
experiment::Cell cellOf(bool chooses) {
  experiment::Cell cell;
  cell.job.training.logical_workers = 8;
  cell.job.training.threads = 1;
  cell.job.worker = {.replicas = 4, .min_replicas = 1, .max_replicas = 4};
  cell.job.server.replicas = 1;
  if (chooses) cell.job.autoscaling = job::AutoscalingSpec{};
  return cell;
}

/// A run that began at 0 s.
class SizedRun {
 public:
  SizedRun(bool chooses, int workers, std::vector<ScriptedEvent> events)
      : cell_(cellOf(chooses)),
        course_(cell_, std::move(events), {workers, 4, folder_.path(), moment(0)}) {}

  SizedCourse& course() { return course_; }
  std::filesystem::path folder() const { return folder_.path(); }

  void roster(int workers, double at) {
    RosterBegan roster;
    roster.members.insert({Role::kServer, 0});
    for (int index = 0; index < workers; ++index)
      roster.members.insert({Role::kWorker, index});
    course_.onEvent(roster, moment(at));
  }

  void step(Step step, double at) {
    Progress progress;
    progress.step = step;
    progress.total_steps = 1000;
    course_.onEvent(Interim{progress}, moment(at));
  }

  /// What is asked of the run, at that time, as it carries it out.
  int follow(double at) {
    if (const auto wake = course_.wakeAt(); wake && *wake <= moment(at)) course_.onTime(moment(at));
    const auto resize = course_.resizeAt();
    if (!resize) return 0;
    course_.onResize();
    return resize->workers;
  }

 private:
  const TemporaryFolder folder_;
  const experiment::Cell cell_;
  SizedCourse course_;
};

ScriptedEvent room(double at, int workers) {
  return {.seconds = at, .kind = Kind::kRoom, .workers = workers};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(sized_course)

BOOST_AUTO_TEST_CASE(time_counts_from_the_end_of_the_first_step) {
  SizedRun run(/*chooses=*/false, 4, {});
  run.roster(4, 1);
  run.step(1, 3);
  run.step(101, 13);
  BOOST_TEST(run.follow(13) == 0);
  BOOST_TEST(run.course().steps() == 100);

  const auto record = run.course().take("sha");
  BOOST_TEST(record.seconds == 10);
  BOOST_TEST((record.phases == std::vector<experiment::SizingPhase>{{0, 4}}));
  BOOST_TEST(record.changes.empty());
  BOOST_TEST(record.parameters_sha256 == "sha");
}

BOOST_AUTO_TEST_CASE(a_fixed_size_has_what_there_is_room_for) {
  SizedRun run(/*chooses=*/false, 4, {room(2, 2), room(5, 9)});
  run.roster(4, 1);
  BOOST_TEST(!run.course().wakeAt());  // before the first step there is no time
  run.step(1, 3);
  BOOST_TEST((run.course().wakeAt() == moment(5)));
  BOOST_TEST(run.follow(4) == 0);
  BOOST_TEST(run.follow(5) == 2);
  BOOST_TEST(run.follow(5) == 0);  // asked once
  run.roster(2, 6);
  MembersChanged change;
  change.pause_seconds = 0.25;
  run.course().onEvent(change, moment(6));
  run.step(50, 7);
  BOOST_TEST(run.follow(8) == 4);
  run.roster(4, 9);
  run.step(60, 10);

  const auto record = run.course().take("");
  BOOST_TEST((record.phases == std::vector<experiment::SizingPhase>{{0, 4}, {3, 2}, {6, 4}}));
  BOOST_TEST(record.changing_seconds == 0.25);
}

BOOST_AUTO_TEST_CASE(a_worker_is_killed_once_and_one_that_is_not_there_never) {
  SizedRun run(/*chooses=*/false, 2,
               {{.seconds = 1, .kind = Kind::kKill, .worker = 1},
                {.seconds = 1, .kind = Kind::kKill, .worker = 2}});
  run.roster(2, 1);
  run.step(1, 2);
  BOOST_TEST(!run.course().takeVictim());
  run.follow(3);
  BOOST_TEST((run.course().takeVictim() == Slot{Role::kWorker, 1}));
  BOOST_TEST(!run.course().takeVictim());
  run.follow(3);
  BOOST_TEST(!run.course().takeVictim());
}

BOOST_AUTO_TEST_CASE(a_slow_worker_finds_its_factor_in_the_run_folder) {
  SizedRun run(/*chooses=*/false, 2,
               {{.seconds = 1, .kind = Kind::kSlow, .worker = 1, .factor = 2.5}});
  run.roster(2, 1);
  run.step(1, 2);
  run.follow(3);
  const auto text = readTextFile(slowFileOf(run.folder(), 1), 64);
  BOOST_TEST_REQUIRE(text.has_value());
  BOOST_TEST(std::stod(*text) == 2.5);
  BOOST_TEST(!run.course().stopAt());
}

BOOST_AUTO_TEST_CASE(a_run_whose_event_cannot_happen_is_stopped) {
  SizedRun run(/*chooses=*/false, 2,
               {{.seconds = 1, .kind = Kind::kSlow, .worker = 1, .factor = 2}});
  std::filesystem::remove(run.folder());
  run.roster(2, 1);
  run.step(1, 2);
  run.follow(3);
  BOOST_TEST(run.course().stopAt().has_value());
  BOOST_TEST(run.course().problem() != "");
}

BOOST_AUTO_TEST_CASE(steps_that_are_done_again_are_part_of_the_time) {
  SizedRun run(/*chooses=*/false, 2, {});
  run.roster(2, 1);
  run.step(1, 2);
  run.step(10, 5);
  run.roster(1, 6);
  run.step(8, 7);
  run.step(11, 8);
  BOOST_TEST(run.course().take("").seconds == 6);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::sized_course_test
