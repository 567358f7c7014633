#include "job/progress/emulated_computing.h"

#include <string>

#include <boost/test/unit_test.hpp>

namespace sumac::emulated_computing_test {

BOOST_AUTO_TEST_SUITE(emulated_computing)

BOOST_AUTO_TEST_CASE(is_read_as_it_was_written) {
  const EmulatedComputing computing{.median = 0.5, .lower = 0.25, .upper = 1, .waited = 0.125};
  BOOST_TEST((*emulatedComputingFrom(nlohmann::json(toJson(computing))) == computing));
  BOOST_TEST(computing.spread() == 0.75);
  BOOST_TEST(EmulatedComputing{}.spread() == 0);
}

BOOST_AUTO_TEST_CASE(anything_else_is_not_known) {
  for (const char* const text : {"null", "[]", "{}", R"({"median":1,"lower":1,"upper":1})",
                                 R"({"median":-1,"lower":1,"upper":1,"waited":0})",
                                 R"({"median":"1","lower":1,"upper":1,"waited":0})"}) {
    BOOST_TEST(!emulatedComputingFrom(nlohmann::json::parse(text)).has_value(), text);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::emulated_computing_test
