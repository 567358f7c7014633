#include "engine/data/data_folder.h"

#include <boost/test/unit_test.hpp>

#include "base/core/installation.h"
#include "tests/support/temporary_folder.h"

namespace sumac::worker::data_folder_test {

BOOST_AUTO_TEST_SUITE(data_folder)

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

BOOST_AUTO_TEST_CASE(looks_in_the_shared_folder_where_none_is_given) {
  const auto found = findDataFolder("fashion-mnist-mini", {});
  const auto missing = findDataFolder("bags", {});

  BOOST_REQUIRE(found);
  BOOST_TEST(*found == ourInstallation()->shared / "data/fashion-mnist-mini");
  BOOST_REQUIRE(!missing);
  BOOST_TEST(missing.error().message.find("share/sumac/data/bags") != std::string::npos);
  BOOST_TEST(missing.error().message.find("side by side") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::data_folder_test
