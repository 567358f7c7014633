#include "job/document/pattern.h"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace sumac::job::pattern_test {

BOOST_AUTO_TEST_SUITE(pattern)

BOOST_DATA_TEST_CASE(decimals,
                     boost::unit_test::data::make({"0", "-0", "7", "10.50", "0.1", "1e5",
                                                   "-2.5E-07", "1e+10"}),
                     text) {
  BOOST_TEST(kDecimalPattern.matches(text));
}

BOOST_DATA_TEST_CASE(no_decimals,
                     boost::unit_test::data::make({"", "-", "+1", "01", "1.", ".5", "1e", "1e123",
                                                   "1e-", "0x1", "1,5", " 1", "1 ", "--1", "1.2.3",
                                                   "nan", "inf"}),
                     text) {
  BOOST_TEST(!kDecimalPattern.matches(text));
}

BOOST_DATA_TEST_CASE(names, boost::unit_test::data::make({"a", "a-b", "lenet5", "x--9"}), text) {
  BOOST_TEST(kJobNamePattern.matches(text));
}

BOOST_DATA_TEST_CASE(no_names,
                     boost::unit_test::data::make({"", "A", "5a", "-a", "a-", "a_b", "a.b",
                                                   "\u00e9"}),
                     text) {
  BOOST_TEST(!kJobNamePattern.matches(text));
}

BOOST_DATA_TEST_CASE(folders, boost::unit_test::data::make({"a", "runs/lenet5.v2", "A_b-c/0"}),
                     text) {
  BOOST_TEST(kFolderPattern.matches(text));
}

BOOST_DATA_TEST_CASE(no_folders,
                     boost::unit_test::data::make({"", "/a", "a/", "a//b", "..", "a/../b", ".a",
                                                   "-a", "a b", "$(A)"}),
                     text) {
  BOOST_TEST(!kFolderPattern.matches(text));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::job::pattern_test
