#include "cli/experiment/folder.h"

#include <fstream>
#include <tuple>

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"
#include "tests/support/temporary_folder.h"

namespace sumac::cli::experiment_folder_test {
namespace {

const FolderIdentity kStudy{"study", "abc", "1", "1.0", "host, cpu"};
const experiment::RunFigures kFigures{2, 0.5, {0.25, 0.25}};

/// Why a folder that holds kStudy's runs is refused for this one; empty if it is not.
std::string refusal(const std::filesystem::path& path, const FolderIdentity& identity) {
  const auto folder = ExperimentFolder::open(path, identity);
  return folder ? std::string() : folder.error().message;
}

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(experiment_folder)

BOOST_AUTO_TEST_CASE(what_was_saved_is_there_for_the_next_process) {
  const TemporaryFolder place;
  {
    const auto folder = ExperimentFolder::open(place / "new", kStudy);
    BOOST_REQUIRE(folder.has_value());
    BOOST_TEST(!folder->load({1, 1})->has_value());
    BOOST_TEST(folder->save({1, 1}, kFigures).has_value());
  }
  const auto again = ExperimentFolder::open(place / "new", kStudy);
  BOOST_REQUIRE(again.has_value());
  BOOST_TEST((*again->load({1, 1}))->seconds == 0.5);
  BOOST_TEST(!again->load({1, 2})->has_value());
  BOOST_TEST(!again->load({2, 1})->has_value());
}

BOOST_AUTO_TEST_CASE(a_long_run_over_time_can_be_read_again) {
  constexpr int kMoments = 120'000;  // some hours, and 12 MB
  const TemporaryFolder place;
  const auto folder = ExperimentFolder::open(place / "new", kStudy);
  BOOST_REQUIRE(folder.has_value());
  experiment::RunFigures figures{kMoments, 0.25 * kMoments, {}};
  figures.step_seconds.assign(kMoments, 0.25);
  figures.scale.emplace();
  for (int i = 0; i < kMoments; ++i)
    figures.scale->points.push_back({0.1 * i, 2, i + 1, 10.25, 0.123456789});
  BOOST_REQUIRE(folder->save({1, 1}, figures).has_value());
  const auto loaded = folder->load({1, 1});
  BOOST_REQUIRE(loaded.has_value());
  BOOST_REQUIRE(loaded->has_value());
  BOOST_TEST((*loaded)->scale->points.size() == std::size_t{kMoments});
}

BOOST_AUTO_TEST_CASE(a_damaged_run_is_named_with_what_to_do) {
  const TemporaryFolder place;
  const auto folder = ExperimentFolder::open(place / "new", kStudy);
  BOOST_REQUIRE(folder.has_value());
  BOOST_TEST(folder->save({1, 1}, kFigures).has_value());
  const auto file = place / "new/runs/cell-1-run-1.json";
  std::ofstream(file) << "{";
  const auto loaded = folder->load({1, 1});
  BOOST_REQUIRE(!loaded.has_value());
  BOOST_TEST((loaded.error().code == ErrorCode::kInvalid));
  BOOST_TEST(loaded.error().message.starts_with(file.string() + " "));
}

BOOST_AUTO_TEST_CASE(a_file_of_another_run_is_damaged) {
  const TemporaryFolder place;
  const auto folder = ExperimentFolder::open(place / "new", kStudy);
  BOOST_REQUIRE(folder.has_value());
  BOOST_TEST(folder->save({1, 1}, kFigures).has_value());
  const auto runs = place / "new/runs";
  for (const char* const copy : {"cell-2-run-1.json", "cell-1-run-2.json"})
    std::filesystem::copy_file(runs / "cell-1-run-1.json", runs / copy);
  BOOST_TEST(folder->load({1, 1}).has_value());
  BOOST_TEST(!folder->load({2, 1}).has_value());
  BOOST_TEST(!folder->load({1, 2}).has_value());
  BOOST_TEST(folder->countRuns() == 3);
}

BOOST_AUTO_TEST_CASE(what_is_measured_is_written_down) {
  const TemporaryFolder place;
  const auto folder = ExperimentFolder::open(place / "new", kStudy);
  BOOST_REQUIRE(folder.has_value());
  BOOST_TEST(folder->describe("a: document\n", {"job: 1\n", "job: 2\n"}).has_value());
  const auto textOf = [&](const char* name) {
    std::ifstream file(place / "new" / name);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  BOOST_TEST(textOf("experiment.yaml") == "a: document\n");
  BOOST_TEST(textOf("jobs/cell-2.yaml") == "job: 2\n");
}

BOOST_AUTO_TEST_CASE(a_folder_in_which_nothing_was_measured_is_taken_over) {
  const TemporaryFolder place;
  BOOST_TEST(refusal(place / "new", kStudy) == "");
  std::filesystem::create_directories(place / "new/failed/cell-1-run-1");
  FolderIdentity longer = kStudy;
  longer.jobs = "more steps";
  BOOST_TEST(ExperimentFolder::check(place / "new", longer).has_value());
  std::ofstream(place / "new/runs/notes.json") << "mine";  // no run's
  BOOST_TEST(ExperimentFolder::open(place / "new", longer)->note() != "");
  BOOST_TEST(ExperimentFolder::open(place / "new", longer)->note() == "");
  BOOST_TEST(!std::filesystem::exists(place / "new/failed"));
  BOOST_TEST(ExperimentFolder::open(place / "new", longer)->save({1, 1}, kFigures).has_value());
  BOOST_TEST(refusal(place / "new", kStudy) != "");
}

BOOST_AUTO_TEST_CASE(a_file_is_no_folder) {
  const TemporaryFolder place;
  std::ofstream(place / "notes.txt") << "mine";
  const auto opened = ExperimentFolder::open(place / "notes.txt", kStudy);
  BOOST_REQUIRE(!opened.has_value());
  BOOST_TEST((opened.error().code == ErrorCode::kConflict));
  BOOST_TEST(!ExperimentFolder::check(place / "notes.txt", kStudy).has_value());
}

BOOST_AUTO_TEST_CASE(one_process_at_a_time) {
  const TemporaryFolder place;
  const auto first = ExperimentFolder::open(place / "new", kStudy);
  BOOST_REQUIRE(first.has_value());
  BOOST_TEST(refusal(place / "new", kStudy) != "");
}

BOOST_AUTO_TEST_CASE(runs_of_something_else_are_not_mixed_in) {
  const TemporaryFolder place;
  BOOST_TEST(refusal(place / "new", kStudy) == "");
  BOOST_TEST(refusal(place / "new", kStudy) == "");
  BOOST_TEST(ExperimentFolder::open(place / "new", kStudy)->save({1, 1}, kFigures).has_value());
  test::Transcript said;
  for (const auto& [name, field] : {std::pair("another experiment", &FolderIdentity::experiment),
                                    {"other jobs", &FolderIdentity::jobs},
                                    {"another seed", &FolderIdentity::seed},
                                    {"another version", &FolderIdentity::version},
                                    {"another machine", &FolderIdentity::machine}}) {
    FolderIdentity other = kStudy;
    other.*field = "else";
    std::string message = refusal(place / "new", other);
    BOOST_TEST_REQUIRE(message != "");
    said.add(name, message.replace(message.find(place.path().string()),
                                   place.path().string().size(), "FOLDER"));
  }
  test::checkGolden("cli/experiment/folder.txt", said.text());
}

BOOST_AUTO_TEST_CASE(simulated_and_measured_results_never_replace_each_other) {
  const TemporaryFolder place;
  const FolderIdentity simulation{"study", "abc", "1", "1.0", kSimulatedMachine};
  test::Transcript said;
  // Without any run, too: a simulation has none.
  for (const auto& [name, first, second] :
       {std::tuple("measured", &kStudy, &simulation), {"simulated", &simulation, &kStudy}}) {
    const auto path = place / name;
    BOOST_REQUIRE(ExperimentFolder::open(path, *first).has_value());
    const auto refused = ExperimentFolder::check(path, *second);
    BOOST_REQUIRE(!refused.has_value());
    BOOST_TEST((refused.error().code == ErrorCode::kConflict));
    BOOST_TEST(refusal(path, *second) == refused.error().message);
    said.add(name, test::replaced(refused.error().message, path.string(), "FOLDER"));
    BOOST_TEST(ExperimentFolder::open(path, *first).has_value());
  }
  test::checkGolden("cli/experiment/folder_kinds.txt", said.text());
}

BOOST_AUTO_TEST_CASE(whose_a_folder_is_can_be_asked_without_making_one) {
  const TemporaryFolder place;
  BOOST_TEST(ExperimentFolder::check(place / "new", kStudy).has_value());
  BOOST_TEST(!std::filesystem::exists(place / "new"));
  BOOST_TEST(ExperimentFolder::check(place.path(), kStudy).has_value());
  BOOST_TEST(ExperimentFolder::open(place / "new", kStudy)->save({1, 1}, kFigures).has_value());
  BOOST_TEST(ExperimentFolder::check(place / "new", kStudy).has_value());
  FolderIdentity other = kStudy;
  other.seed = "2";
  BOOST_TEST(!ExperimentFolder::check(place / "new", other).has_value());
  BOOST_TEST(!ExperimentFolder::check(place.path(), kStudy).has_value());
}

BOOST_AUTO_TEST_CASE(a_folder_that_does_not_say_what_it_is_of_is_refused) {
  const TemporaryFolder place;
  BOOST_TEST(refusal(place / "new", kStudy) == "");
  for (const char* const content : {"", "{", "[]", "{\"experiment\": \"study\"}"}) {
    std::ofstream(place / "new/experiment.json") << content;
    const std::string message = refusal(place / "new", kStudy);
    BOOST_TEST(message.starts_with((place / "new/experiment.json").string() + " is damaged"));
    BOOST_TEST(mentions(message, "or remove " + (place / "new").string()));
  }
}

BOOST_AUTO_TEST_CASE(a_folder_with_other_files_is_left_alone) {
  const TemporaryFolder place;
  std::ofstream(place / "notes.txt") << "mine";
  BOOST_TEST(refusal(place.path(), kStudy) != "");
  BOOST_TEST(!std::filesystem::exists(place / "runs"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::experiment_folder_test
