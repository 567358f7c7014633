#include "cli/fetch/data_sets.h"

#include <boost/test/unit_test.hpp>

namespace sumac::cli::data_sets_test {

BOOST_AUTO_TEST_SUITE(data_sets)

BOOST_AUTO_TEST_CASE(a_set_is_found_by_its_name) {
  BOOST_REQUIRE(findRemoteDataSet("mnist") != nullptr);
  BOOST_TEST(findRemoteDataSet("mnist")->format == "idx");
  BOOST_TEST(findRemoteDataSet("ptb") == nullptr);
  BOOST_TEST(remoteDataSetNames() == "cifar-10, cifar-100, fashion-mnist, mnist");
}

BOOST_AUTO_TEST_CASE(every_file_has_a_size_and_a_sum) {
  for (const auto& set : remoteDataSets()) {
    BOOST_TEST(!set.address.ends_with('/'));
    for (const auto& file : set.files) {
      BOOST_TEST(file.size > 0U);
      BOOST_TEST(file.sha256.size() == 64U);
      BOOST_TEST((file.sha256.find_first_not_of("0123456789abcdef") == std::string_view::npos));
    }
    BOOST_TEST((set.members.empty() || set.files.size() == 1U));
    BOOST_TEST(set.names_file.empty() == set.class_names.empty());
  }
  BOOST_TEST(findRemoteDataSet("cifar-100")->class_names.size() == 100U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::data_sets_test
