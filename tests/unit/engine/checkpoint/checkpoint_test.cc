#include "engine/checkpoint/checkpoint.h"

#include <cmath>
#include <string>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "tests/support/refusals.h"
#include "tests/unit/engine/checkpoint/steps_fixture.h"

namespace sumac::checkpoint::checkpoint_test {
namespace {

namespace fs = std::filesystem;

/// Makes the checkpoint of `step` one that a later version wrote.
void makeLater(const TemporaryFolder& folder, Step step) {
  const auto file = folder / ("step-" + std::to_string(step) + "-1") / "manifest.json";
  BOOST_REQUIRE(replaceFile(file, asBytes(R"({"checkpoint": {"format": 99}})")));
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

BOOST_AUTO_TEST_CASE(is_told_by_its_manifest_to_who_does_not_read_it) {
  const TemporaryFolder folder;
  writeSteps(folder, {1, 2, 3}, kKeepAll);
  fs::resize_file(folder / "step-2-1" / "model.safetensors", 7);
  fs::resize_file(folder / "step-3-1" / "manifest.json", 7);
  std::vector<std::string> warnings;

  BOOST_TEST(newest(folder.path(), warnings, {}, Reads::kManifests)->value() == 2);
  BOOST_TEST(newest(folder.path(), warnings)->value() == 1);
}

BOOST_AUTO_TEST_CASE(is_newer_than_a_step_where_it_is_whole_and_of_the_same_job_and_numerics) {
  const TemporaryFolder folder;
  const auto newer = [&](Step step, const std::string& job, const std::string& numerics) {
    return newerThan(folder.path(), step, job, numerics);
  };
  BOOST_TEST(!newer(0, "plan", "avx2"));
  writeSteps(folder, {2, 4, 6}, kKeepAll);
  BOOST_TEST(newer(3, "plan", "avx2").value() == 6);
  BOOST_TEST(newer(5, "plan", "avx2").value() == 6);
  BOOST_TEST(!newer(6, "plan", "avx2"));
  BOOST_TEST(!newer(3, "another", "avx2"));
  BOOST_TEST(!newer(3, "plan", "avx512"));
  flipLastBit(folder / "step-6-1/model.safetensors");
  BOOST_TEST(newer(3, "plan", "avx2").value() == 4);
  BOOST_TEST(!newer(4, "plan", "avx2"));
  BOOST_TEST(!newerThan(folder / "none", 0, "plan", "avx2"));
}

BOOST_AUTO_TEST_CASE(passes_over_a_later_version_s_checkpoint_and_names_the_file) {
  const TemporaryFolder folder;
  writeSteps(folder, {1, 2}, kKeepAll);
  makeLater(folder, 2);
  std::vector<std::string> warnings;

  const auto step = newest(folder.path(), warnings);

  BOOST_TEST(step->value() == 1);
  BOOST_REQUIRE(warnings.size() == 1U);
  test::checkGolden("engine/checkpoint/later_version.txt",
                    boost::replace_all_copy(warnings[0], folder.path().string(), "FOLDER") + "\n");
}

BOOST_AUTO_TEST_CASE(does_not_start_over_where_only_a_later_version_can_read_the_checkpoints) {
  const TemporaryFolder folder;
  writeSteps(folder, {1, 2, 3}, kKeepAll);
  makeLater(folder, 1);
  makeLater(folder, 2);
  flipLastBit(folder / "step-3-1" / "model.safetensors");
  std::vector<std::string> warnings;

  const auto step = newest(folder.path(), warnings);

  test::Refusals refusals(folder.path());
  refusals.add("a later version", step, "FOLDER/step-2-1/manifest.json", ErrorCode::kUnsupported);
  refusals.compareWith("engine/checkpoint/later_version_alone.txt");
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

BOOST_AUTO_TEST_CASE(the_newest_of_this_job_is_found_among_another_jobs) {
  const TemporaryFolder folder;
  writeSteps(folder, {4}, 1);
  require(write(folder.path(), twoTensors(), strangersOf(5), {.keep = 1}));

  std::vector<std::string> warnings;
  BOOST_TEST(newest(folder.path(), warnings, "plan")->value() == 4);
  BOOST_REQUIRE(warnings.size() == 1);
  BOOST_TEST(warnings.front().find("step-5-1") != std::string::npos);
  // Where all are another's, the caller is to know that they are there.
  BOOST_TEST(newest(folder.path(), warnings, "third")->value() == 5);
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

BOOST_AUTO_TEST_CASE(keeps_the_lines_of_the_job_beside_the_manifest) {
  const TemporaryFolder folder;
  auto state = stateOf(1);
  state.plan_lines = "batchSize=4\n";
  const auto path = write(folder.path(), twoTensors(), state, {.keep = 3});
  require(path);

  BOOST_TEST(originOf(folder.path(), 1)->plan_lines == state.plan_lines);
  BOOST_TEST(readTextFile(*path / "manifest.json", 1 << 20)->find("job.txt") == std::string::npos);
  fs::remove(*path / "job.txt");  // as earlier versions wrote it
  BOOST_TEST(originOf(folder.path(), 1)->plan_lines.empty());
  BOOST_TEST(newestOf(folder).value() == 1);
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

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::checkpoint::checkpoint_test
