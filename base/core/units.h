#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace sumac {

// Numbers for readers: the one place that decides their digits and units. Nothing here depends on
// the locale. What programs read is written elsewhere, with all digits.

/// A number with so many digits after the point: "1.06". From 1e15 on with an exponent: what comes
/// from outside may be any number.
std::string fixedText(double value, int digits);

/// The same with commas between thousands: "67,387.0".
std::string groupedText(double value, int digits = 0);

/// About four digits, as many as a measurement has, commas between thousands and never an exponent:
/// "67,387", "105.3", "0.512". Below a thousandth as many zeros as it takes.
std::string readableText(double value);

/// A whole number with commas between thousands: "61,706".
std::string countText(std::int64_t count);

/// Significant digits, three as a model's prediction has: "3.21", "321", "0.00321". All digits
/// before the point up to ten million, then "1.2e+09".
std::string digitsText(double value, int digits = 3);

/// As many digits as it needs, at most six: "0.05", "20".
std::string shortText(double value);

/// The shortest text that reads back to the same number: "0.1", "1e+20".
std::string exactText(double value);

/// Hexadecimal, with at least so many digits: "00c0ffee".
std::string hexText(std::uint64_t value, int digits);

/// A share with one decimal below 10 %, else none: "7.3 %".
std::string percentText(double share);

/// The same with so many decimals: "83.10 %".
std::string percentText(double share, int digits);

/// Half the width of an interval as a share: "± 7.3 %".
std::string marginText(double share);

/// "1 worker", "2 workers": a count and a noun whose plural ends in s.
std::string counted(std::int64_t count, std::string_view noun);

/// A time: "512 us", "3.2 ms", "41 s", "12 min", "3.4 h", "2.5 days". Requires seconds >= 0.
std::string durationText(double seconds);
inline std::string durationText(std::chrono::duration<double> time) {
  return durationText(time.count());
}

/// What is left of a time, rounded up to seconds or minutes: "about 40 s", "about 3 min".
std::string aboutText(double seconds);

/// A time in microseconds without its unit, one decimal below 100: "9.3".
std::string microsecondsText(double seconds);

/// A number of bytes with one decimal in binary units: "1.4 GiB". A difference may be negative.
std::string bytesText(double bytes);
std::string bytesText(std::integral auto bytes) {
  return bytesText(static_cast<double>(bytes));
}

/// A link's rate, in decimal units as networks have it: "100 Mbit/s". Four digits: somebody
/// gave it. Requires a rate >= 0.
std::string bitRateText(double bits_per_second);

/// Bytes a second, in decimal units: "25 GB/s".
std::string byteRateText(double bytes_per_second);

/// Operations a second: "289 GFLOP/s".
std::string operationsText(double operations_per_second);

}  // namespace sumac
