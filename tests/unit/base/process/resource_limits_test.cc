#include "base/process/resource_limits.h"

#include <sys/resource.h>

#include <boost/test/unit_test.hpp>

namespace sumac::resource_limits_test {

BOOST_AUTO_TEST_SUITE(resource_limits)

BOOST_AUTO_TEST_CASE(says_how_many_open_files_are_needed) {
  rlimit limit{};
  BOOST_REQUIRE(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
  const auto most = static_cast<std::int64_t>(limit.rlim_max);

  BOOST_TEST(requireOpenFiles(most, "this worker").has_value());
  const auto beyond = requireOpenFiles(most + 1, "this worker");

  BOOST_REQUIRE(!beyond);
  BOOST_TEST((beyond.error().code == ErrorCode::kUnavailable));
  const std::string& message = beyond.error().message;
  BOOST_TEST(message.find(" " + std::to_string(most) + ";") != message.npos, message);
  BOOST_TEST(message.find("`ulimit -Hn " + std::to_string(most + 1) + "`") != message.npos,
             message);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::resource_limits_test
