#include "engine/checkpoint/checkpoint.h"

#include <cmath>
#include <fstream>
#include <string>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "base/core/file.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/engine/checkpoint/two_tensors.h"

namespace sumac::checkpoint::checkpoint_test {
namespace {

namespace fs = std::filesystem;

constexpr int kKeepAll = 100;

State stateOf(Step step) {
  State state;
  state.step = step;
  state.weights = countingFrom(static_cast<float>(step));
  state.optimizer["m"] = countingFrom(0.5F);
  state.optimizer["v"] = countingFrom(100);
  state.recurrent = {1.5F, -0.0F, 3.0F};
  state.statistics = {0.25F};
  state.plan_hash = "plan";
  state.numerics = "avx2";
  return state;
}

void require(const Result<fs::path>& written) {
  const std::string why = written ? "" : written.error().message;
  BOOST_REQUIRE_MESSAGE(written.has_value(), why);
}

void writeSteps(const TemporaryFolder& folder, std::initializer_list<Step> steps, int keep) {
  for (const Step step : steps)
    require(write(folder.path(), twoTensors(), stateOf(step), {.keep = keep}));
}

std::optional<Step> newestOf(const TemporaryFolder& folder) {
  std::vector<std::string> warnings;
  const auto step = newest(folder.path(), warnings);
  BOOST_REQUIRE(step.has_value());
  return *step;
}

/// Makes the checkpoint of `step` one that a later version wrote.
void makeLater(const TemporaryFolder& folder, Step step) {
  const auto file = folder / ("step-" + std::to_string(step) + "-1") / "manifest.json";
  BOOST_REQUIRE(replaceFile(file, asBytes(R"({"checkpoint": {"format": 99}})")));
}

void flipLastBit(const fs::path& file) {
  auto content = *readFile(file, 1 << 20);
  content.back() ^= std::byte{1};
  BOOST_REQUIRE(replaceFile(file, content));
}

const char* const kFiles[] = {"model.safetensors", "optimizer.safetensors", "state.safetensors",
                              "manifest.json"};

}  // namespace

BOOST_AUTO_TEST_SUITE(checkpoint)

BOOST_AUTO_TEST_CASE(restores_what_was_written) {
  const TemporaryFolder folder;
  auto state = stateOf(7);
  state.term = 2;
  require(write(folder / "new/folder", twoTensors(), state, {.keep = 3}));

  const auto restored = restore(folder / "new/folder", twoTensors(), 7);

  BOOST_REQUIRE(restored);
  BOOST_TEST(restored->step == 7);
  BOOST_TEST(restored->term == 2U);
  BOOST_TEST(restored->plan_hash == "plan");
  BOOST_TEST(restored->numerics == "avx2");
  BOOST_TEST(restored->weights == state.weights, boost::test_tools::per_element());
  BOOST_TEST((restored->optimizer == state.optimizer));
  BOOST_TEST(restored->recurrent == state.recurrent, boost::test_tools::per_element());
  BOOST_TEST(std::signbit(restored->recurrent[1]));
  BOOST_TEST(restored->statistics == state.statistics, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(has_no_file_of_part_state_where_there_is_none) {
  const TemporaryFolder folder;
  auto state = stateOf(1);
  state.recurrent.clear();
  state.statistics.clear();
  const auto path = write(folder.path(), twoTensors(), state, {.keep = 3});
  require(path);

  BOOST_TEST(!fs::exists(*path / "state.safetensors"));
  const auto restored = restore(folder.path(), twoTensors(), 1);
  BOOST_REQUIRE(restored);
  BOOST_TEST(restored->recurrent.empty());
  BOOST_TEST(restored->statistics.empty());
}

BOOST_AUTO_TEST_CASE(restores_a_job_whose_optimizer_keeps_nothing) {
  const TemporaryFolder folder;
  auto state = stateOf(1);
  state.optimizer.clear();
  require(write(folder.path(), twoTensors(), state, {.keep = 3}));

  const auto restored = restore(folder.path(), twoTensors(), 1);

  BOOST_REQUIRE(restored);
  BOOST_TEST(restored->optimizer.empty());
}

BOOST_AUTO_TEST_CASE(finds_nothing_in_an_empty_or_missing_folder) {
  const TemporaryFolder folder;
  std::vector<std::string> warnings;

  BOOST_TEST(!newest(folder.path(), warnings)->has_value());
  BOOST_TEST(!newest(folder / "none", warnings)->has_value());
  BOOST_TEST(warnings.empty());
  BOOST_TEST((restore(folder.path(), twoTensors(), 1).error().code == ErrorCode::kNotFound));
}

BOOST_AUTO_TEST_CASE(orders_steps_by_number_not_by_text) {
  const TemporaryFolder folder;
  writeSteps(folder, {9, 100, 20}, kKeepAll);

  BOOST_TEST(newestOf(folder).value() == 100);
}

BOOST_DATA_TEST_CASE(passes_over_a_flipped_bit_and_names_the_file,
                     boost::unit_test::data::make(kFiles)) {
  const TemporaryFolder folder;
  writeSteps(folder, {1, 2}, kKeepAll);
  flipLastBit(folder / "step-2-1" / sample);
  std::vector<std::string> warnings;

  const auto step = newest(folder.path(), warnings);

  BOOST_TEST(step->value() == 1);
  BOOST_REQUIRE(warnings.size() == 1U);
  BOOST_TEST(warnings[0].find((folder / "step-2-1" / sample).string()) != std::string::npos,
             warnings[0]);
  BOOST_TEST(!restore(folder.path(), twoTensors(), 2).has_value());
  BOOST_TEST(restore(folder.path(), twoTensors(), 1).has_value());
}

BOOST_DATA_TEST_CASE(passes_over_a_file_of_another_length_or_gone,
                     boost::unit_test::data::make(kFiles)) {
  const TemporaryFolder folder;
  writeSteps(folder, {1, 2, 3, 4}, kKeepAll);
  const auto length = fs::file_size(folder / "step-2-1" / sample);
  fs::resize_file(folder / "step-2-1" / sample, length - 1);
  fs::resize_file(folder / "step-3-1" / sample, length + 1);
  fs::remove(folder / "step-4-1" / sample);
  std::vector<std::string> warnings;

  const auto step = newest(folder.path(), warnings);

  BOOST_TEST(step->value() == 1);
  BOOST_REQUIRE(warnings.size() == 3U);
  for (const std::string& warning : warnings) {
    BOOST_TEST(warning.find(sample) != std::string::npos, warning);
  }
}

BOOST_AUTO_TEST_CASE(passes_over_a_later_version_s_checkpoint_and_names_the_file) {
  const TemporaryFolder folder;
  writeSteps(folder, {1, 2}, kKeepAll);
  makeLater(folder, 2);
  std::vector<std::string> warnings;

  const auto step = newest(folder.path(), warnings);

  BOOST_TEST(step->value() == 1);
  BOOST_REQUIRE(warnings.size() == 1U);
  BOOST_TEST(warnings[0] == "checkpoint file " + (folder / "step-2-1/manifest.json").string() +
                                ": its format is 99, this version reads 1 to 4; skipped, looking "
                                "for an older checkpoint");
}

BOOST_AUTO_TEST_CASE(does_not_start_over_where_only_a_later_version_can_read_the_checkpoints) {
  const TemporaryFolder folder;
  writeSteps(folder, {1, 2, 3}, kKeepAll);
  makeLater(folder, 1);
  makeLater(folder, 2);
  flipLastBit(folder / "step-3-1" / "model.safetensors");
  std::vector<std::string> warnings;

  const auto step = newest(folder.path(), warnings);

  BOOST_REQUIRE(!step);
  BOOST_TEST((step.error().code == ErrorCode::kUnsupported));
  BOOST_TEST(
      step.error().message ==
      "checkpoint file " + (folder / "step-2-1/manifest.json").string() +
          ": its format is 99, this version reads 1 to 4, and there is no other checkpoint "
          "to resume from; resume with the version of sumac that wrote it, or choose another "
          "folder to start from step 0");
}

BOOST_AUTO_TEST_CASE(passes_over_a_checkpoint_under_another_steps_name) {
  const TemporaryFolder folder;
  writeSteps(folder, {1}, kKeepAll);
  fs::rename(folder / "step-1-1", folder / "step-2-1");

  BOOST_TEST(!newestOf(folder).has_value());
}

BOOST_AUTO_TEST_CASE(ignores_folders_with_names_of_its_own_choosing) {
  const TemporaryFolder folder;
  writeSteps(folder, {1}, kKeepAll);
  for (const char* name : {"step-02-1", "step-9", "step-9-", "step-9-1x", "step--9-1", "notes",
                           "step-99999999999999999999-1"}) {
    fs::create_directory(folder / name);
  }
  std::vector<std::string> warnings;

  BOOST_TEST(newest(folder.path(), warnings)->value() == 1);
  BOOST_TEST(warnings.empty());
}

BOOST_AUTO_TEST_CASE(writes_over_an_incomplete_folder) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "step-5-1");
  BOOST_REQUIRE(createFile(folder / "step-5-1" / "model.safetensors", asBytes("torn")));

  writeSteps(folder, {5}, kKeepAll);

  BOOST_TEST(newestOf(folder).value() == 5);
}

// As two attempts of a job on one volume, of which the operator believes one gone.
BOOST_AUTO_TEST_CASE(two_writers_of_one_step_do_not_spoil_each_others) {
  const TemporaryFolder folder;
  for (const float first_weight : {5.0F, 99.0F}) {
    const Step step = first_weight == 5.0F ? 5 : 6;
    auto other = stateOf(step);
    if (step == 6) other.weights[0] = first_weight;
    auto draft =
        Draft::make(folder.path(), twoTensors(), stateOf(step), {.keep = kKeepAll, .writer = 1});
    BOOST_REQUIRE(draft.has_value());
    require(write(folder.path(), twoTensors(), other, {.keep = kKeepAll, .writer = 2}));

    const auto written = draft->complete();

    BOOST_TEST(written.has_value() == (step == 5));  // the same, so both have written it
    if (!written) BOOST_TEST((written.error().code == ErrorCode::kConflict));
    BOOST_TEST(newestOf(folder).value() == step);
    BOOST_TEST(restore(folder.path(), twoTensors(), step)->weights[0] == first_weight);
  }
  const auto left = std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator());
  BOOST_TEST(left == 2);
}

BOOST_AUTO_TEST_CASE(a_writer_that_gives_up_removes_only_its_own) {
  const TemporaryFolder folder;
  auto draft =
      Draft::make(folder.path(), twoTensors(), stateOf(5), {.keep = kKeepAll, .writer = 1});
  BOOST_REQUIRE(draft.has_value());
  BOOST_TEST(Draft::make(folder.path(), twoTensors(), stateOf(5), {.writer = 2}).has_value());

  require(draft->complete());

  BOOST_TEST(newestOf(folder).value() == 5);
}

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

// Of another job: its hash differs, and so do its weights.
State strangersOf(Step step) {
  State state = stateOf(step);
  state.plan_hash = "another";
  state.weights[0] = -7;
  return state;
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

BOOST_AUTO_TEST_CASE(the_newest_of_this_job_is_found_among_another_jobs) {
  const TemporaryFolder folder;
  writeSteps(folder, {4}, 1);
  require(write(folder.path(), twoTensors(), strangersOf(5), {.keep = 1}));

  std::vector<std::string> warnings;
  BOOST_TEST(newest(folder.path(), warnings, "plan")->value() == 4);
  BOOST_REQUIRE(warnings.size() == 1);
  BOOST_TEST(warnings.front().find("step-5-1 is of another job") != std::string::npos);
  // Where all are another's, the caller is to know that they are there.
  BOOST_TEST(newest(folder.path(), warnings, "third")->value() == 5);
}

BOOST_AUTO_TEST_CASE(two_jobs_write_the_same_step) {
  const TemporaryFolder folder;
  auto draft = Draft::make(folder.path(), twoTensors(), stateOf(5), {.writer = 1});
  BOOST_REQUIRE(draft.has_value());
  require(write(folder.path(), twoTensors(), strangersOf(5), {.writer = 2}));

  require(draft->complete());

  require(write(folder.path(), twoTensors(), stateOf(5), {.writer = 3}));  // there is one already
  BOOST_TEST(restore(folder.path(), twoTensors(), 5, nullptr, "plan")->weights[0] == 5);
  BOOST_TEST(restore(folder.path(), twoTensors(), 5, nullptr, "another")->weights[0] == -7);
  BOOST_TEST(originOf(folder.path(), 5, "another")->plan_hash == "another");
  const auto left = std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator());
  BOOST_TEST(left == 2);
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

BOOST_AUTO_TEST_CASE(a_partial_folder_names_its_owner) {
  const TemporaryFolder folder;
  const auto draft =
      Draft::make(folder.path(), twoTensors(), stateOf(5), {.writer = 0x77, .owner = "aa"});
  BOOST_REQUIRE(draft.has_value());

  BOOST_TEST(fs::exists(folder / "partial-step-5-1-aa-77"));
}

// A link to itself cannot be read, though it is there, as a file on a disk that fails.
BOOST_DATA_TEST_CASE(is_not_given_up_because_it_cannot_be_read,
                     boost::unit_test::data::make(kFiles)) {
  const TemporaryFolder folder;
  writeSteps(folder, {1, 2}, kKeepAll);
  const auto file = folder / "step-2-1" / sample;
  fs::rename(file, folder / "aside");
  fs::create_symlink(file, file);
  std::vector<std::string> warnings;

  const auto step = newest(folder.path(), warnings);
  const auto again = write(folder.path(), twoTensors(), stateOf(2), {.keep = kKeepAll});

  BOOST_REQUIRE(!step);
  BOOST_TEST((step.error().code == ErrorCode::kUnavailable));
  BOOST_TEST(step.error().message.find(file.string()) != std::string::npos);
  BOOST_REQUIRE(!again);
  BOOST_TEST((again.error().code == ErrorCode::kUnavailable));
  fs::remove(file);
  fs::rename(folder / "aside", file);
  BOOST_TEST(newestOf(folder).value() == 2);
}

BOOST_AUTO_TEST_CASE(a_folder_that_cannot_be_listed_is_not_empty) {
  const TemporaryFolder folder;
  fs::create_symlink(folder / "loop", folder / "loop");
  std::vector<std::string> warnings;

  const auto step = newest(folder / "loop", warnings);

  BOOST_REQUIRE(!step);
  BOOST_TEST((step.error().code == ErrorCode::kUnavailable));
}

BOOST_AUTO_TEST_CASE(takes_the_same_checkpoint_twice_and_refuses_another_in_its_place) {
  const TemporaryFolder folder;
  writeSteps(folder, {5}, kKeepAll);
  auto other = stateOf(5);
  other.weights[0] = 99;

  BOOST_TEST(write(folder.path(), twoTensors(), stateOf(5), {.keep = 3}).has_value());
  const auto refused = write(folder.path(), twoTensors(), other, {.keep = 3});

  BOOST_REQUIRE(!refused);
  BOOST_TEST((refused.error().code == ErrorCode::kConflict));
  BOOST_TEST(restore(folder.path(), twoTensors(), 5)->weights[0] == 5.0F);
}

// Of another number of workers, or before `auto` chose: the bits are the same.
BOOST_AUTO_TEST_CASE(takes_one_twice_that_was_exchanged_in_another_way) {
  const TemporaryFolder folder;
  writeSteps(folder, {5}, kKeepAll);
  auto other = stateOf(5);
  other.algorithm = "direct";
  other.workers = 2;
  require(write(folder.path(), twoTensors(), other, {.keep = 3}));
  BOOST_TEST(restore(folder.path(), twoTensors(), 5)->algorithm.empty());

  other.step = 6;
  require(write(folder.path(), twoTensors(), other, {.keep = 3}));
  const auto restored = restore(folder.path(), twoTensors(), 6);
  BOOST_TEST(restored->algorithm == "direct");
  BOOST_TEST(restored->workers == 2);
}

BOOST_AUTO_TEST_CASE(is_none_until_it_is_complete) {
  const TemporaryFolder folder;
  writeSteps(folder, {4}, kKeepAll);
  auto draft = Draft::make(folder.path(), twoTensors(), stateOf(5), {});
  BOOST_REQUIRE(draft.has_value());
  BOOST_TEST(newestOf(folder).value() == 4);
  require(draft->complete());
  BOOST_TEST(newestOf(folder).value() == 5);

  BOOST_TEST(Draft::make(folder.path(), twoTensors(), stateOf(6), {}).has_value());  // given up

  BOOST_TEST(newestOf(folder).value() == 5);
  const auto left = std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator());
  BOOST_TEST(left == 2);
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

BOOST_AUTO_TEST_CASE(takes_the_highest_term_that_is_whole) {
  const TemporaryFolder folder;
  for (const std::uint32_t term : {1U, 2U, 3U}) {
    auto state = stateOf(5);
    state.term = term;
    require(write(folder.path(), twoTensors(), state, {.keep = kKeepAll}));
  }
  flipLastBit(folder / "step-5-3" / "model.safetensors");

  BOOST_TEST(newestOf(folder).value() == 5);
  BOOST_TEST(restore(folder.path(), twoTensors(), 5)->term == 2U);
}

BOOST_AUTO_TEST_CASE(refuses_another_networks_checkpoint) {
  const TemporaryFolder folder;
  writeSteps(folder, {1}, kKeepAll);
  auto other = twoTensors();
  other.tensors[0].shape = {3, 2};

  const auto refused = restore(folder.path(), other, 1);

  BOOST_REQUIRE(!refused);
  BOOST_TEST(refused.error().message.find("fc.weight") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(says_which_file_cannot_be_written) {
  const TemporaryFolder folder;
  BOOST_REQUIRE(createFile(folder / "file", asBytes("in the way")));

  const auto refused = write(folder / "file", twoTensors(), stateOf(1), {.keep = 3});

  BOOST_REQUIRE(!refused);
  BOOST_TEST((refused.error().code == ErrorCode::kNotFound));
  BOOST_TEST(refused.error().message.find((folder / "file").string()) != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::checkpoint::checkpoint_test
