#include "base/core/table.h"

#include <boost/test/unit_test.hpp>

namespace sumac::table_test {

BOOST_AUTO_TEST_SUITE(tables)

BOOST_AUTO_TEST_CASE(aligns_columns_without_trailing_spaces) {
  BOOST_TEST(table({"NAME", "STEPS"}, {{"a", "1"}, {"longer", "22"}}) ==
             "NAME     STEPS\n"
             "a        1\n"
             "longer   22\n");
}

BOOST_AUTO_TEST_CASE(counts_characters_not_bytes) {
  BOOST_TEST(table({"N", "X"}, {{"\u00e4\u00e4", "1"}}) == "N    X\n\u00e4\u00e4   1\n");
}

BOOST_AUTO_TEST_CASE(takes_short_and_no_rows) {
  BOOST_TEST(table({"A", "B"}, {}) == "A   B\n");
  BOOST_TEST(table({"A", "B"}, {{"1"}}) == "A   B\n1\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::table_test
