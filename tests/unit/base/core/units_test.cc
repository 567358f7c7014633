#include "base/core/units.h"

#include <limits>

#include <boost/test/unit_test.hpp>

namespace sumac::units_test {

BOOST_AUTO_TEST_SUITE(units)

BOOST_AUTO_TEST_CASE(a_count_has_its_noun_in_the_plural_unless_it_is_one) {
  BOOST_TEST(counted(0, "worker") == "0 workers");
  BOOST_TEST(counted(1, "worker") == "1 worker");
  BOOST_TEST(counted(2, "logical worker") == "2 logical workers");
}

BOOST_AUTO_TEST_CASE(bytes_have_the_largest_binary_unit_that_fits) {
  BOOST_TEST(bytesText(512) == "0.5 KiB");
  BOOST_TEST(bytesText(1023 << 10) == "1023.0 KiB");
  BOOST_TEST(bytesText(1 << 20) == "1.0 MiB");
  BOOST_TEST(bytesText(std::uint64_t{3} << 29U) == "1.5 GiB");
  BOOST_TEST(bytesText(-(3 << 19)) == "-1.5 MiB");
  BOOST_TEST(bytesText(1e30) == "888178419700125.2 PiB");
  BOOST_TEST(bytesText(std::numeric_limits<double>::quiet_NaN()) == "nan KiB");
}

BOOST_AUTO_TEST_CASE(numbers_have_about_four_digits) {
  BOOST_TEST(readableText(67'387.4) == "67,387");
  BOOST_TEST(readableText(1'053.2) == "1,053");
  BOOST_TEST(readableText(105.34) == "105.3");
  BOOST_TEST(readableText(9.8765) == "9.877");
  BOOST_TEST(readableText(0.51234) == "0.512");
  BOOST_TEST(readableText(0.0051234) == "0.00512");
  BOOST_TEST(readableText(0) == "0");
  BOOST_TEST(readableText(-1'234'567) == "-1,234,567");
}

BOOST_AUTO_TEST_CASE(thousands_are_grouped_before_the_point_only) {
  BOOST_TEST(groupedText(999) == "999");
  BOOST_TEST(groupedText(1'000) == "1,000");
  BOOST_TEST(groupedText(-123'456.789, 3) == "-123,456.789");
  BOOST_TEST(groupedText(1e300) == "1e+300");
  BOOST_TEST(fixedText(-2.5e20, 1) == "-2.5e+20");
  BOOST_TEST(groupedText(999e12) == "999,000,000,000,000");
  BOOST_TEST(groupedText(std::numeric_limits<double>::infinity()) == "inf");
}

BOOST_AUTO_TEST_CASE(predictions_have_three_digits_and_a_unit) {
  BOOST_TEST(digitsText(1'234'567) == "1234567");
  BOOST_TEST(digitsText(1'234.4, 4) == "1234");
  BOOST_TEST(digitsText(123.44, 4) == "123.4");
  BOOST_TEST(countText(9'007'199'254'740'993) == "9,007,199,254,740,993");
  BOOST_TEST(countText(-999) == "-999");
  BOOST_TEST(digitsText(1.2345e9) == "1.23e+09");
  BOOST_TEST(digitsText(0.0032149) == "0.00321");
  BOOST_TEST(durationText(0) == "0 s");
  BOOST_TEST(durationText(3.1e-7) == "0.31 us");
  BOOST_TEST(durationText(0.0123) == "12.3 ms");
  BOOST_TEST(durationText(119) == "119 s");
  BOOST_TEST(durationText(180) == "3 min");
  BOOST_TEST(durationText(7'200) == "2 h");
  BOOST_TEST(durationText(864'000) == "10 days");
  BOOST_TEST(durationText(std::chrono::milliseconds(1'500)) == "1.5 s");
  BOOST_TEST(aboutText(0.2) == "about 1 s");
  BOOST_TEST(aboutText(119.5) == "about 120 s");
  BOOST_TEST(aboutText(121) == "about 3 min");
  BOOST_TEST(microsecondsText(9.26e-6) == "9.3");
  BOOST_TEST(microsecondsText(0.1234567) == "123457");
  BOOST_TEST(operationsText(5e11) == "500 GFLOP/s");
  BOOST_TEST(byteRateText(2.5e10) == "25 GB/s");
}

BOOST_AUTO_TEST_CASE(rates_that_somebody_gave_have_four_digits) {
  BOOST_TEST(bitRateText(1e8) == "100 Mbit/s");
  BOOST_TEST(bitRateText(1.055e9) == "1.055 Gbit/s");
  BOOST_TEST(bitRateText(64'000) == "64 kbit/s");
  BOOST_TEST(bitRateText(8) == "8 bit/s");
}

BOOST_AUTO_TEST_CASE(exact_texts_read_back_to_the_same_number) {
  BOOST_TEST(exactText(0.1) == "0.1");
  BOOST_TEST(exactText(1e20) == "1e+20");
  BOOST_TEST(exactText(1.0 / 3) == "0.3333333333333333");
  BOOST_TEST(hexText(0xc0ffee, 8) == "00c0ffee");
}

BOOST_AUTO_TEST_CASE(shares_are_percentages) {
  BOOST_TEST(percentText(0.073) == "7.3 %");
  BOOST_TEST(percentText(0.5) == "50 %");
  BOOST_TEST(percentText(0.99999, 2) == "100.00 %");
  BOOST_TEST(marginText(0.123) == "± 12 %");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::units_test
