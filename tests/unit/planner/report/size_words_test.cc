#include "planner/report/size_words.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"

namespace sumac::planner::size_words_test {

BOOST_AUTO_TEST_SUITE(size_words)

BOOST_AUTO_TEST_CASE(tell_which_sizes_are_as_fast_as_a_smaller_one) {
  test::Transcript said;
  said.add("a fixed size", sizesText({.parts = 8, .workers = 5, .least = 5, .most = 5}));
  said.add("1 to 8, now 4", sizesText({.parts = 8, .workers = 4, .least = 1, .most = 8}));
  said.add("1 to 8, now 6", sizesText({.parts = 8, .workers = 6, .least = 1, .most = 8}));
  said.add("5 to 7", sizesText({.parts = 8, .workers = 5, .least = 5, .most = 7}));
  said.add("one part each", sizesText({.parts = 3, .workers = 2, .least = 1, .most = 3}));
  test::checkGolden("planner/report/size_words.txt", said.text());
}

BOOST_AUTO_TEST_CASE(are_empty_where_every_size_is_faster_and_for_what_is_no_job) {
  for (const WorkerSizes& sizes :
       {WorkerSizes{8, 4, 4, 4}, WorkerSizes{8, 2, 1, 4}, WorkerSizes{1, 1, 1, 1},
        WorkerSizes{0, 0, 0, 0}, WorkerSizes{8, 9, 9, 9}, WorkerSizes{8, 2, 3, 4},
        WorkerSizes{8, 5, 1, 4}, WorkerSizes{8, -5, -5, -5}, WorkerSizes{-8, 5, 5, 5}})
    BOOST_TEST(sizesText(sizes).empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::size_words_test
