#include "engine/data/idx.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/refusals.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/engine/data/idx_files.h"

namespace sumac::worker::idx_test {
namespace {

constexpr std::uint8_t kBytes = 8;

/// Writes a file and reads it again.
class Fixture {
 public:
  Result<IdxFile> read(const std::string& bytes, int rank) const {
    writeText(path(), bytes);
    return readIdx(path(), rank);
  }

  std::filesystem::path path() const { return folder_ / "some-idx"; }

 private:
  TemporaryFolder folder_;
};

const std::string kSix = idxBytes(kBytes, {1, 2, 3}, "abcdef");

}  // namespace

BOOST_FIXTURE_TEST_SUITE(idx, Fixture)

BOOST_AUTO_TEST_CASE(reads_plain_and_gzip_alike) {
  for (const std::string& bytes : {kSix, gzipped(kSix)}) {
    const auto file = read(bytes, 3);
    BOOST_REQUIRE(file);
    BOOST_TEST(file->extents == (std::vector<std::uint32_t>{1, 2, 3}),
               boost::test_tools::per_element());
    BOOST_TEST(std::string(file->values.begin(), file->values.end()) == "abcdef");
  }
}

BOOST_AUTO_TEST_CASE(reads_an_array_without_values) {
  for (const std::string& bytes : {idxBytes(kBytes, {0}, ""), gzipped(idxBytes(kBytes, {0}, ""))}) {
    const auto file = read(bytes, 1);
    BOOST_REQUIRE(file);
    BOOST_TEST(file->values.empty());
  }
}

BOOST_AUTO_TEST_CASE(refuses_a_file_cut_at_any_length) {
  for (const std::string& whole : {kSix, gzipped(kSix)}) {
    for (std::size_t length = 0; length < whole.size(); ++length) {
      const auto file = read(whole.substr(0, length), 3);
      BOOST_REQUIRE_MESSAGE(!file, length);
      BOOST_TEST(file.error().code == ErrorCode::kInvalid);
      BOOST_TEST(file.error().message.find(path().string()) != std::string::npos);
    }
  }
}

BOOST_AUTO_TEST_CASE(says_what_is_wrong) {
  constexpr std::uint8_t kFloats = 0x0D;
  constexpr std::uint32_t kMost = 0xFFFFFFFF;
  const std::string huge = idxBytes(kBytes, {0x7FFFFFFF}, "abcdef");
  // 16 MiB of zeros in 16 KiB, behind a header that announces 4.
  const std::string bomb = gzipped(idxBytes(kBytes, {4}, std::string(std::size_t{1} << 24U, '\0')));
  const std::tuple<const char*, std::string, int> kCases[] = {
      {"a head cut short", kSix.substr(0, 9), 3},
      {"values cut short", kSix.substr(0, kSix.size() - 1), 3},
      {"a byte after the values", kSix + "g", 3},
      {"a byte after the values, in gzip", gzipped(kSix + "g"), 3},
      {"a byte after gzip", gzipped(kSix) + "g", 3},
      {"fewer values than announced", gzipped(idxBytes(kBytes, {7}, "abcdef")), 1},
      {"a bomb", bomb, 1},
      {"more than the file can hold", huge, 1},
      {"more than the file can hold, in gzip", gzipped(huge), 1},
      {"more than 2 GiB", idxBytes(kBytes, {0x80000001}, ""), 1},
      {"extents whose product overflows", idxBytes(kBytes, {kMost, kMost, kMost}, ""), 3},
      {"extents of nothing that overflow", idxBytes(kBytes, {kMost, kMost, 0}, ""), 3},
      {"another type", idxBytes(kFloats, {1}, "abcd"), 1},
      {"a higher rank", kSix, 1},
      {"a lower rank", idxBytes(kBytes, {6}, "abcdef"), 3},
      {"no magic number", std::string(16, 'x'), 3}};
  test::Refusals refusals(path().parent_path());
  for (const auto& [name, bytes, rank] : kCases)
    refusals.add(name, read(bytes, rank), "FOLDER/some-idx");
  refusals.compareWith("engine/data/idx.txt");
}

BOOST_AUTO_TEST_CASE(refuses_a_gzip_file_with_a_flipped_bit_anywhere_in_content_or_checksum) {
  const std::string whole = gzipped(kSix);
  constexpr std::size_t kGzipHeader = 10;  // has bits that mean nothing, as the time
  for (std::size_t at = kGzipHeader; at < whole.size(); ++at) {
    std::string bent = whole;
    bent[at] = static_cast<char>(bent[at] ^ 1);
    const auto file = read(bent, 3);
    // Of the last byte of the bit stream some bits are padding.
    const bool same = file && std::string(file->values.begin(), file->values.end()) == "abcdef";
    BOOST_TEST((!file || same), at);
  }
}

BOOST_AUTO_TEST_CASE(reports_a_file_that_is_not_there) {
  const auto file = readIdx(path(), 1);

  BOOST_REQUIRE(!file);
  BOOST_TEST(file.error().code == ErrorCode::kNotFound);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::idx_test
