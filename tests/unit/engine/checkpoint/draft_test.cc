#include <iterator>

#include <boost/test/unit_test.hpp>

#include "engine/checkpoint/checkpoint.h"
#include "tests/unit/engine/checkpoint/steps_fixture.h"

namespace sumac::checkpoint::draft_test {
namespace {

namespace fs = std::filesystem;

}  // namespace

BOOST_AUTO_TEST_SUITE(checkpoint_draft)

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

BOOST_AUTO_TEST_CASE(a_partial_folder_names_its_owner) {
  const TemporaryFolder folder;
  const auto draft =
      Draft::make(folder.path(), twoTensors(), stateOf(5), {.writer = 0x77, .owner = "aa"});
  BOOST_REQUIRE(draft.has_value());

  BOOST_TEST(fs::exists(folder / "partial-step-5-1-aa-77"));
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

BOOST_AUTO_TEST_CASE(says_which_file_cannot_be_written) {
  const TemporaryFolder folder;
  BOOST_REQUIRE(createFile(folder / "file", asBytes("in the way")));

  const auto refused = write(folder / "file", twoTensors(), stateOf(1), {.keep = 3});

  BOOST_REQUIRE(!refused);
  BOOST_TEST((refused.error().code == ErrorCode::kNotFound));
  BOOST_TEST(refused.error().message.find((folder / "file").string()) != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::checkpoint::draft_test
