#include "worker/nn/lanes/block_group.h"

#include <boost/test/unit_test.hpp>

namespace sumac::worker::lanes::block_group_test {

BOOST_AUTO_TEST_SUITE(block_group)

BOOST_AUTO_TEST_CASE(takes_all_blocks_at_once_where_the_sums_are_one_float_too_many) {
  BOOST_TEST(blocksPerGroup(kMaxGroupGradients / 4, 1024 * 1024 - 1, 10) == 4U);
  BOOST_TEST(blocksPerGroup(kMaxGroupGradients / 4, 1024 * 1024, 10) == 4U);
  BOOST_TEST(blocksPerGroup(kMaxGroupGradients / 4, 1024 * 1024 + 1, 10) == 10U);
}

BOOST_AUTO_TEST_CASE(takes_as_many_blocks_as_fit_the_cache_and_one_at_least) {
  constexpr std::size_t kFloats = 128 * 1024;
  BOOST_TEST(blocksPerGroup(kFloats / 2, 1, 10) == 2U);
  BOOST_TEST(blocksPerGroup(kFloats / 2 + 1, 1, 10) == 1U);
  BOOST_TEST(blocksPerGroup(kFloats, 1, 10) == 1U);
  BOOST_TEST(blocksPerGroup(kFloats + 1, 1, 10) == 1U);
}

BOOST_AUTO_TEST_CASE(takes_no_more_blocks_than_there_are) {
  BOOST_TEST(blocksPerGroup(kMaxGroupGradients / 4, 1, 3) == 3U);
  BOOST_TEST(blocksPerGroup(kMaxGroupGradients / 4, 1, 4) == 4U);
  BOOST_TEST(blocksPerGroup(kMaxGroupGradients / 4, 1, 5) == 4U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::lanes::block_group_test
