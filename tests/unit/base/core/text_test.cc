#include "base/core/text.h"

#include <boost/test/unit_test.hpp>

namespace sumac::text_test {

BOOST_AUTO_TEST_SUITE(text)

BOOST_AUTO_TEST_CASE(a_text_is_cut_between_characters) {
  BOOST_TEST(wholeCharacters("abc", 3) == "abc");
  BOOST_TEST(wholeCharacters("abc", 2) == "ab");
  BOOST_TEST(wholeCharacters("a\xc3\xa4", 3) == "a\xc3\xa4");
  BOOST_TEST(wholeCharacters("a\xc3\xa4", 2) == "a");
  BOOST_TEST(wholeCharacters("\xf0\x9f\x8c\xbf", 3).empty());
}

BOOST_AUTO_TEST_CASE(bytes_that_are_no_text_are_cut_too) {
  BOOST_TEST(wholeCharacters("\xa4\xa4\xa4", 2).empty());
  BOOST_TEST(wholeCharacters("", 0).empty());
}

BOOST_AUTO_TEST_CASE(the_first_byte_that_is_no_text_is_found) {
  BOOST_TEST(!firstBadByte(""));
  BOOST_TEST(!firstBadByte("a\xc3\xa4\xf0\x9f\x8c\xbf"));
  BOOST_TEST(firstBadByte("a\xc3").value() == 1);
  BOOST_TEST(firstBadByte("ab\xff").value() == 2);
  BOOST_TEST(firstBadByte(std::string_view("a\0b", 3)).value() == 1);
  BOOST_TEST(firstBadByte("\xed\xa0\x80").value() == 0);  // a surrogate
  BOOST_TEST(firstBadByte("\xc0\x80").value() == 0);      // longer than it need be
}

BOOST_AUTO_TEST_CASE(nothing_of_a_foreign_text_moves_a_terminals_cursor) {
  BOOST_TEST(printable("a\x1b[2Jb\nc\x7f") == "a [2Jb c ");
  BOOST_TEST(printable("\xc2\x9b"
                       "31m\xe2\x80\xae"
                       "x\xe2\x80\xa8") == " 31m x ");
  BOOST_TEST(printable(std::string_view("\0", 1)) == " ");
  BOOST_TEST(printable("a\xff\xc3") == "a\xEF\xBF\xBD\xEF\xBF\xBD");
  BOOST_TEST(printable("± é") == "± é");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::text_test
