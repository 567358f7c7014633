#include "planner/autoscaling/useful_sizes.h"

#include <vector>

#include <boost/test/unit_test.hpp>

namespace sumac::autoscaling::useful_sizes_test {

BOOST_AUTO_TEST_SUITE(useful_sizes)

BOOST_AUTO_TEST_CASE(are_those_where_the_busiest_worker_has_fewer_parts) {
  using Sizes = std::vector<int>;
  BOOST_TEST(usefulSizes(8, 1, 8) == (Sizes{1, 2, 3, 4, 8}), boost::test_tools::per_element());
  BOOST_TEST(usefulSizes(1, 1, 1) == Sizes{1}, boost::test_tools::per_element());
  BOOST_TEST(usefulSizes(7, 1, 7) == (Sizes{1, 2, 3, 4, 7}), boost::test_tools::per_element());
  BOOST_TEST(usefulSizes(8, 1, 7) == (Sizes{1, 2, 3, 4}), boost::test_tools::per_element());
  BOOST_TEST(usefulSizes(8, 5, 8) == (Sizes{5, 8}), boost::test_tools::per_element());
  BOOST_TEST(usefulSizes(8, 5, 7) == Sizes{5}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_first_worker_has_the_fewest_parts) {
  const auto of = [](int position) { return partsAt(position, 3, 8); };
  BOOST_TEST(of(0) == 2);
  BOOST_TEST(of(1) == 3);
  BOOST_TEST(of(2) == 3);
}

BOOST_AUTO_TEST_CASE(every_other_size_is_as_fast_as_the_useful_one_below) {
  for (int parts = 1; parts <= 70; ++parts) {
    for (int fewest = 1; fewest <= parts; ++fewest) {
      int useful = fewest;
      std::vector<int> sizes;
      for (int size = fewest; size <= parts; ++size) {
        if (size == fewest || busiestParts(parts, size) < busiestParts(parts, useful))
          sizes.push_back(useful = size);
        BOOST_REQUIRE_EQUAL(smallestAsFast(parts, size, fewest), useful);
      }
      BOOST_REQUIRE(usefulSizes(parts, fewest, parts) == sizes);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::autoscaling::useful_sizes_test
