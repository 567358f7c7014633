#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <boost/algorithm/string/replace.hpp>
#include <boost/test/unit_test.hpp>

#include "base/core/result.h"
#include "tests/support/golden.h"

namespace sumac::test {

/// What a test case refuses: it asserts codes and places, one golden file has the words.
class Refusals {
 public:
  Refusals() = default;
  /// Of what lies in `folder`, which is another in every run: FOLDER stands for it.
  explicit Refusals(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Requires that `result` is such a failure, and that its message has `where`: a path, a
  /// position ("a.csv:2:3") or a number.
  template <typename T>
  void add(std::string_view name, const Result<T>& result, std::string_view where = {},
           ErrorCode code = ErrorCode::kInvalid) {
    BOOST_REQUIRE_MESSAGE(!result, name);
    BOOST_TEST_CONTEXT(name) {
      BOOST_TEST(result.error().code == code);
    }
    std::string message = result.error().message;
    if (!folder_.empty()) {
      boost::replace_all(message, folder_.string(), "FOLDER");
      boost::replace_all(message, folder_.filename().string(), "FOLDER");
    }
    BOOST_TEST((message.find(where) != std::string::npos), message << " has no " << where);
    said_.add(name, message);
  }

  void compareWith(std::string_view golden) const { checkGolden(golden, said_.text()); }

 private:
  std::filesystem::path folder_;
  Transcript said_;
};

}  // namespace sumac::test
