#include "engine/data/idx.h"

#include <boost/test/unit_test.hpp>

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

  /// The message with which reading fails; it names the file.
  std::string messageOf(const std::string& bytes, int rank) const {
    const auto file = read(bytes, rank);
    if (file) return "no failure";
    BOOST_TEST(file.error().code == ErrorCode::kInvalid);
    BOOST_TEST(has(file.error().message, path().string()), file.error().message);
    return file.error().message;
  }

  static bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
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

BOOST_AUTO_TEST_CASE(refuses_a_plain_file_cut_at_any_length) {
  for (std::size_t length = 0; length < kSix.size(); ++length) {
    BOOST_TEST(has(messageOf(kSix.substr(0, length), 3), "cut short"), length);
  }
}

BOOST_AUTO_TEST_CASE(refuses_a_gzip_file_cut_at_any_length) {
  const std::string whole = gzipped(kSix);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    BOOST_TEST(messageOf(whole.substr(0, length), 3) != "no failure", length);
  }
}

BOOST_AUTO_TEST_CASE(refuses_what_comes_after_the_values) {
  BOOST_TEST(has(messageOf(kSix + "g", 3), "has bytes after its values: expected 6"));
  BOOST_TEST(has(messageOf(gzipped(kSix + "g"), 3), "has bytes after its values"));
  BOOST_TEST(has(messageOf(gzipped(kSix) + "g", 3), "gzip stream does not end"));
}

BOOST_AUTO_TEST_CASE(refuses_gzip_content_shorter_than_announced) {
  BOOST_TEST(has(messageOf(gzipped(idxBytes(kBytes, {7}, "abcdef")), 1), "found 6 values"));
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

BOOST_AUTO_TEST_CASE(stops_at_the_announced_size_of_a_gzip_bomb) {
  // 16 MiB of zeros in 16 KiB, behind a header that announces 4.
  const std::string bomb = gzipped(idxBytes(kBytes, {4}, std::string(std::size_t{1} << 24U, '\0')));
  BOOST_TEST(has(messageOf(bomb, 1), "has bytes after its values: expected 4"));
}

BOOST_AUTO_TEST_CASE(believes_no_size_that_the_file_cannot_hold) {
  const std::string huge = idxBytes(kBytes, {0x7FFFFFFF}, "abcdef");

  BOOST_TEST(has(messageOf(huge, 1), "expected 2147483647 values"));
  BOOST_TEST(has(messageOf(gzipped(huge), 1), "cut short: expected 2147483647 values"));
}

BOOST_AUTO_TEST_CASE(refuses_more_than_2_gib_by_the_header_alone) {
  const std::uint32_t most = 0xFFFFFFFF;
  BOOST_TEST(has(messageOf(idxBytes(kBytes, {0x80000001}, ""), 1), "more than 2 GiB"));
  BOOST_TEST(has(messageOf(idxBytes(kBytes, {most, most, most}, ""), 3), "more than 2 GiB"));
  BOOST_TEST(has(messageOf(idxBytes(kBytes, {most, most, 0}, ""), 3), "more than 2 GiB"));
}

BOOST_AUTO_TEST_CASE(refuses_other_types_and_ranks) {
  constexpr std::uint8_t kFloats = 0x0D;

  BOOST_TEST(has(messageOf(idxBytes(kFloats, {1}, "abcd"), 1),
                 "found magic number 0x00000d01, expected 0x00000801"));
  BOOST_TEST(has(messageOf(kSix, 1), "found magic number 0x00000803, expected 0x00000801"));
  BOOST_TEST(has(messageOf(idxBytes(kBytes, {6}, "abcdef"), 3), "magic number"));
  BOOST_TEST(has(messageOf(std::string(16, 'x'), 3), "found magic number 0x78787878"));
}

BOOST_AUTO_TEST_CASE(reports_a_file_that_is_not_there) {
  const auto file = readIdx(path(), 1);

  BOOST_REQUIRE(!file);
  BOOST_TEST(file.error().code == ErrorCode::kNotFound);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::idx_test
