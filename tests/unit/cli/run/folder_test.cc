#include "cli/run/folder.h"

#include <fstream>
#include <set>
#include <thread>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/support/temporary_folder.h"

namespace sumac::cli::folder_test {

BOOST_AUTO_TEST_SUITE(run_folder)

BOOST_AUTO_TEST_CASE(takes_the_next_free_name) {
  const TemporaryFolder place;
  const auto wanted = place / "runs" / "job-20250131-120000";

  BOOST_TEST(RunFolder::createNext(wanted)->path() == wanted);
  BOOST_TEST(RunFolder::createNext(wanted)->path() == wanted.string() + "-2");
  BOOST_TEST(RunFolder::createNext(wanted)->path() == wanted.string() + "-3");
}

BOOST_AUTO_TEST_CASE(gives_each_of_many_that_ask_at_once_a_folder_of_its_own) {
  constexpr std::size_t kThreads = 8;
  const TemporaryFolder place;
  const auto wanted = place / "runs" / "job";
  std::vector<std::string> found(kThreads);
  std::vector<std::jthread> threads;
  for (std::string& path : found)
    threads.emplace_back([&] { path = RunFolder::createNext(wanted)->path().string(); });
  threads.clear();

  BOOST_TEST(std::set<std::string>(found.begin(), found.end()).size() == kThreads);
}

// A worker that is killed while it tries the folder leaves what it tried with.
BOOST_AUTO_TEST_CASE(begins_again_where_a_run_ended_before_it_trained) {
  const TemporaryFolder place;
  const RunFolder folder(place / "run");
  BOOST_REQUIRE(folder.create());
  std::filesystem::create_directories(folder.checkpoints());
  for (const auto& path : {folder.job(), folder.log({Role::kWorker, 0}),
                           folder.path() / ".writable", folder.checkpoints() / ".writable"})
    std::ofstream(path) << "x";
  BOOST_TEST(folder.create().has_value());

  std::ofstream(folder.checkpoints() / "step-1") << "x";
  BOOST_TEST(!folder.create().has_value());
}

BOOST_AUTO_TEST_CASE(tells_the_cause_of_a_failure_once) {
  constexpr Slot kWorker{Role::kWorker, 0};
  const TemporaryFolder place;
  const RunFolder folder(place.path());
  std::ofstream(folder.log(kWorker)) << "info \"compute threads\" threads=1\n"
                                     << "error \"ended\" role=worker code=78 error=\"no data\"\n";

  BOOST_TEST(folder.logTail(kWorker, 9, /*without_end=*/true) ==
             "    info \"compute threads\" threads=1\n");
  BOOST_TEST(folder.logTail(kWorker, 1, /*without_end=*/true).empty());
  BOOST_TEST(folder.logTail(kWorker, 1, /*without_end=*/false).ends_with("error=\"no data\"\n"));
  BOOST_TEST(folder.logTail({Role::kServer, 0}, 9, /*without_end=*/true).empty());
}

BOOST_AUTO_TEST_CASE(says_which_folder_cannot_be_created) {
  const TemporaryFolder place;
  std::ofstream(place / "runs") << "a file";

  const auto folder = RunFolder::createNext(place / "runs" / "job");

  BOOST_REQUIRE(!folder);
  BOOST_TEST(folder.error().message.find((place / "runs" / "job").string()) != std::string::npos,
             folder.error().message);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::folder_test
