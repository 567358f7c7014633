#pragma once

#include <fstream>
#include <string>
#include <string_view>

#include <boost/test/unit_test.hpp>

#include "base/core/result.h"
#include "tests/support/temporary_folder.h"

namespace sumac::worker {

/// A folder for small files of a data set.
class FilesFixture {
 public:
  void write(const std::string& name, std::string_view bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  void remove(const std::string& name) const { std::filesystem::remove(folder_ / name); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  const std::filesystem::path& folder() const { return folder_.path(); }

  /// That it failed so, and that the message has each of these.
  template <typename T>
  void failed(const Result<T>& result, ErrorCode code,
              std::initializer_list<std::string_view> words) const {
    BOOST_REQUIRE(!result);
    BOOST_TEST(result.error().code == code, result.error().message);
    for (const std::string_view word : words) {
      BOOST_TEST((result.error().message.find(word) != std::string::npos),
                 result.error().message << " has no " << word);
    }
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace sumac::worker
