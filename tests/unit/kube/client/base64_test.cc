#include "kube/client/base64.h"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

namespace sumac::kube::base64_test {

BOOST_AUTO_TEST_SUITE(base64)

BOOST_AUTO_TEST_CASE(writes_and_reads_the_examples_of_rfc_4648) {
  const std::pair<const char*, const char*> examples[] = {{"", ""},
                                                          {"f", "Zg=="},
                                                          {"fo", "Zm8="},
                                                          {"foo", "Zm9v"},
                                                          {"foob", "Zm9vYg=="},
                                                          {"fooba", "Zm9vYmE="},
                                                          {"foobar", "Zm9vYmFy"}};

  for (const auto& [bytes, text] : examples) {
    BOOST_TEST(toBase64(bytes) == text);
    BOOST_TEST(fromBase64(text).value_or("none") == bytes);
  }
}

BOOST_AUTO_TEST_CASE(carries_every_byte) {
  std::string bytes;
  for (int i = 0; i < 256; ++i)
    bytes.push_back(static_cast<char>(i));

  BOOST_TEST((fromBase64(toBase64(bytes)) == bytes));
}

BOOST_AUTO_TEST_CASE(skips_line_ends) {
  BOOST_TEST(fromBase64("Zm9v\r\nYmFy\n").value_or("none") == "foobar");
}

BOOST_DATA_TEST_CASE(refuses_what_is_none,
                     boost::unit_test::data::make({"Zg", "Zg=", "Z===", "====", "Zg==Zg==", "Zh==",
                                                   "Zm9=", "Zm-v", "Zm 9v", "Zm=v"}),
                     text) {
  BOOST_TEST(!fromBase64(text).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::kube::base64_test
