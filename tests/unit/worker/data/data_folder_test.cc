#include "worker/data/data_folder.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/temporary_folder.h"

namespace sumac::worker::data_folder_test {

BOOST_AUTO_TEST_SUITE(data_folder)

BOOST_AUTO_TEST_CASE(looks_in_an_explicit_folder_alone) {
  const auto folders = dataFolders("/data", "/opt/sumac/bin/sumac-worker");

  BOOST_REQUIRE(folders.size() == 1U);
  BOOST_TEST(folders[0] == "/data");
}

BOOST_AUTO_TEST_CASE(looks_near_the_program_then_below_the_working_directory) {
  const auto built = dataFolders({}, "/src/build/dev/bin/sumac-worker");
  const auto installed = dataFolders({}, "/opt/sumac/bin/sumac-worker");

  BOOST_REQUIRE(built.size() == 3U);
  BOOST_TEST(built[0] == "/src/examples/data");
  BOOST_TEST(built[2] == "examples/data");
  BOOST_TEST(installed[1] == "/opt/sumac/share/sumac/data");
}

BOOST_AUTO_TEST_CASE(knows_the_working_directory_without_a_program) {
  BOOST_TEST(dataFolders({}, {}).size() == 1U);
}

BOOST_AUTO_TEST_CASE(finds_a_folder_or_says_where_it_looked) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "shoes");

  const auto found = findDataFolder("shoes", folder.path());
  const auto missing = findDataFolder("bags", folder.path());

  BOOST_REQUIRE(found);
  BOOST_TEST(*found == folder / "shoes");
  BOOST_REQUIRE(!missing);
  BOOST_TEST(missing.error().code == ErrorCode::kNotFound);
  const std::string place = (folder / "bags").string();
  BOOST_TEST(missing.error().message.find(place) != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::data_folder_test
