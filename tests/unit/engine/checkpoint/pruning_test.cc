#include "engine/checkpoint/pruning.h"

#include <chrono>

#include <boost/test/unit_test.hpp>

#include "tests/unit/engine/checkpoint/steps_fixture.h"

namespace sumac::checkpoint::pruning_test {
namespace {

namespace fs = std::filesystem;

}  // namespace

BOOST_AUTO_TEST_SUITE(checkpoint_pruning)

BOOST_AUTO_TEST_CASE(what_another_writer_has_begun_stays_for_a_day) {
  const TemporaryFolder folder;
  for (const char* name : {"partial-step-1-1-77", "partial-step-1-1-78"})
    fs::create_directory(folder / name);
  const auto now = fs::file_time_type::clock::now();
  fs::last_write_time(folder / "partial-step-1-1-77", now - std::chrono::hours(25));

  writeSteps(folder, {5}, 1);

  BOOST_TEST(!fs::exists(folder / "partial-step-1-1-77"));
  BOOST_TEST(fs::exists(folder / "partial-step-1-1-78"));
  BOOST_TEST(newestOf(folder).value() == 5);
}

BOOST_AUTO_TEST_CASE(what_killed_writers_left_goes_where_nobody_is_at_work) {
  const TemporaryFolder folder;
  writeSteps(folder, {5}, 1);
  fs::create_directory(folder / "partial-step-9-1-77");
  BOOST_REQUIRE(createFile(folder / "partial-step-9-1-77" / "model.safetensors", {}));

  removeUnfinished(folder.path());

  BOOST_TEST(!fs::exists(folder / "partial-step-9-1-77"));
  BOOST_TEST(newestOf(folder).value() == 5);
  removeUnfinished(folder / "missing");
}

BOOST_AUTO_TEST_CASE(the_oldest_give_way_to_a_newer_one) {
  const TemporaryFolder folder;
  writeSteps(folder, {1, 2, 3}, kKeepAll);

  const auto gone = removeOldest(folder.path(), 4, 1, "plan");

  BOOST_TEST(gone == std::vector{folder / "step-1-1"}, boost::test_tools::per_element());
  BOOST_TEST(!fs::exists(folder / "step-1-1"));
  BOOST_TEST(fs::exists(folder / "step-2-1"));
}

BOOST_AUTO_TEST_CASE(the_newest_gives_way_to_nothing) {
  const TemporaryFolder folder;
  writeSteps(folder, {1, 2, 3}, kKeepAll);

  // More than all but the newest hold: removing them would bring nothing.
  BOOST_TEST(removeOldest(folder.path(), 4, 1'000'000, "plan").empty());
  BOOST_TEST(fs::exists(folder / "step-1-1"));
  // What a run that was rolled back has left does not count: 3 is beyond the step to be written.
  BOOST_TEST(removeOldest(folder.path(), 2, 1, "plan").empty());

  flipLastBit(folder / "step-3-1" / "model.safetensors");
  BOOST_TEST(
      removeOldest(folder.path(), 4, 1, "plan").empty());  // it is not whole: the others are needed
  BOOST_TEST(fs::exists(folder / "step-1-1"));
}

BOOST_AUTO_TEST_CASE(another_jobs_neither_count_nor_go) {
  const TemporaryFolder folder;
  for (const Step step : {1, 6, 7})
    require(write(folder.path(), twoTensors(), strangersOf(step), {.keep = kKeepAll}));

  writeSteps(folder, {2, 3, 8}, 2);

  BOOST_TEST(fs::exists(folder / "step-1-1"));
  BOOST_TEST(!fs::exists(folder / "step-2-1"));
  BOOST_TEST(fs::exists(folder / "step-3-1"));
  BOOST_TEST(fs::exists(folder / "step-6-1"));
  const auto gone = removeOldest(folder.path(), 9, 1, "plan");
  BOOST_TEST(gone == std::vector{folder / "step-3-1"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_killed_writers_of_this_job_left_goes_at_once) {
  const TemporaryFolder folder;
  for (const char* name : {"partial-step-9-1-aa-77", "partial-step-9-1-bb-77"})
    fs::create_directory(folder / name);

  removeUnfinishedOf(folder.path(), "aa");
  removeUnfinishedOf(folder.path(), "");

  BOOST_TEST(!fs::exists(folder / "partial-step-9-1-aa-77"));
  BOOST_TEST(fs::exists(folder / "partial-step-9-1-bb-77"));
}

BOOST_AUTO_TEST_CASE(keeps_the_newest_so_many) {
  const TemporaryFolder folder;
  writeSteps(folder, {1, 2, 3, 4}, 2);

  BOOST_TEST(!fs::exists(folder / "step-1-1"));
  BOOST_TEST(!fs::exists(folder / "step-2-1"));
  BOOST_TEST(fs::exists(folder / "step-3-1"));
  BOOST_TEST(fs::exists(folder / "step-4-1"));
}

BOOST_AUTO_TEST_CASE(never_removes_the_one_just_written) {
  const TemporaryFolder folder;
  writeSteps(folder, {8, 9}, kKeepAll);

  writeSteps(folder, {3}, 1);

  BOOST_TEST(fs::exists(folder / "step-3-1"));
}

BOOST_AUTO_TEST_CASE(does_not_count_a_torn_one_among_those_kept) {
  const TemporaryFolder folder;
  writeSteps(folder, {1, 2}, kKeepAll);
  fs::remove(folder / "step-2-1" / "manifest.json");

  writeSteps(folder, {3}, 2);

  BOOST_TEST(fs::exists(folder / "step-1-1"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::checkpoint::pruning_test
