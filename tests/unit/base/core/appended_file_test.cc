#include "base/core/appended_file.h"

#include <csignal>
#include <string>

#include <sys/resource.h>

#include <boost/test/unit_test.hpp>

#include "base/core/file.h"
#include "tests/support/temporary_folder.h"

namespace sumac::appended_file_test {
namespace {

using Beginning = AppendedFile::Beginning;

struct Fixture {
  std::string content() const { return readTextFile(path, 1 << 20).value(); }

  TemporaryFolder folder;
  std::filesystem::path path = folder.path() / "file";
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(appended_file, Fixture)

BOOST_AUTO_TEST_CASE(keeps_empties_or_refuses_what_is_there) {
  for (const auto& [beginning, expected] :
       {std::pair(Beginning::kNew, "a"), std::pair(Beginning::kKept, "aa"),
        std::pair(Beginning::kEmpty, "a")}) {
    auto file = AppendedFile::open(path, beginning);
    BOOST_TEST_REQUIRE(file.has_value());
    BOOST_TEST(file->append(asBytes("a")).has_value());
    BOOST_TEST(content() == expected);
  }
  const auto again = AppendedFile::open(path, Beginning::kNew);
  BOOST_TEST_REQUIRE(!again);
  BOOST_TEST((again.error().code == ErrorCode::kConflict));
  BOOST_TEST(again.error().message.find(path.string()) != std::string::npos);
}

// The limit of a file's size stands for a disk that is full.
BOOST_AUTO_TEST_CASE(a_piece_that_does_not_fit_leaves_nothing_of_itself) {
  auto file = AppendedFile::open(path, Beginning::kNew);
  BOOST_TEST_REQUIRE(file.has_value());
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{4, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  const bool first = file->append(asBytes("abc")).has_value();
  const auto second = file->append(asBytes("de"));
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);

  BOOST_TEST(first);
  BOOST_TEST_REQUIRE(!second);
  BOOST_TEST((second.error().code == ErrorCode::kUnavailable));
  BOOST_TEST(content() == "abc");
  BOOST_TEST(file->append(asBytes("fg")).has_value());
  BOOST_TEST(content() == "abcfg");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::appended_file_test
