#include "cli/fetch/archive.h"

#include <array>
#include <string>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "base/core/file.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/cli/fetch/tar_archive.h"

namespace sumac::cli::archive_test {

namespace {

const std::string kEnd(1024, '\0');
constexpr std::array kMembers = {ArchiveMember{"set/a.bin", 600}, ArchiveMember{"set/b.bin", 3}};

struct Fixture {
  Result<void> unpack(const std::string& tar) {
    writeGzip(folder / "set.tar.gz", tar);
    return unpackMembers(folder / "set.tar.gz", kMembers, folder.path());
  }
  std::string content(const char* name) const { return *readTextFile(folder / name, 1 << 20); }

  TemporaryFolder folder;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(archive, Fixture)

BOOST_AUTO_TEST_CASE(members_are_taken_out_and_nothing_else_is) {
  const std::string large(600, 'x');
  const auto result = unpack(tarEntry("set/", "", '5') + tarEntry("../outside.bin", "evil") +
                             tarEntry("set/b.bin", "abc") + tarEntry("set/readme", "hello") +
                             tarEntry("set/a.bin", large) + kEnd);
  BOOST_REQUIRE(result);
  BOOST_TEST(content("a.bin") == large);
  BOOST_TEST(content("b.bin") == "abc");
  BOOST_TEST(!std::filesystem::exists(folder.path().parent_path() / "outside.bin"));
  BOOST_TEST(!std::filesystem::exists(folder / "readme"));
}

const std::string kDamaged[] = {
    "",
    "not an archive",
    tarEntry("set/a.bin", std::string(600, 'x')) + kEnd,           // a member is missing
    tarEntry("set/a.bin", std::string(600, 'x')),                  // and no end
    tarEntry("set/a.bin", std::string(601, 'x')) + kEnd,           // another size
    tarEntry("set/a.bin", std::string(600, 'x')).substr(0, 1000),  // cut in its bytes
    tarEntry("set/a.bin", std::string(600, 'x')).replace(124, 11, "zzzzzzzzzzz"),
    tarEntry("set/other", "abc").substr(0, 513),  // cut in skipped bytes
};

BOOST_DATA_TEST_CASE(a_damaged_archive_is_named, boost::unit_test::data::make(kDamaged)) {
  const auto result = unpack(sample);
  BOOST_REQUIRE(!result);
  BOOST_TEST(result.error().code == ErrorCode::kInvalid);
  BOOST_TEST(result.error().message.find("set.tar.gz is damaged") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::archive_test
