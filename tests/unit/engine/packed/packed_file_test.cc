#include "engine/packed/packed_file.h"

#include <filesystem>
#include <string>

#include <boost/test/unit_test.hpp>

#include "base/core/crc32c.h"
#include "base/core/file.h"
#include "engine/packed/pack_writer.h"
#include "tests/support/refusals.h"
#include "tests/support/temporary_folder.h"

namespace sumac::worker::packed_file_test {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSampleBytes = 100'000;  // so that samples lie across chunks
constexpr std::uint64_t kTrain = 7;
constexpr std::uint64_t kTest = 2;

Bytes sampleOf(std::uint64_t number) {
  Bytes sample(kSampleBytes);
  for (std::size_t i = 0; i < sample.size(); ++i)
    sample[i] = static_cast<std::byte>((number + 1) * i % 251);
  return sample;
}

Result<PackWriter> beginIn(const fs::path& path, Replace replace = Replace::kNever) {
  return PackWriter::create(
      path, {.train = kTrain, .test = kTest, .sample_bytes = kSampleBytes, .description_bytes = 12},
      replace);
}

/// A folder with a packed file.
class Fixture {
 public:
  Fixture() {
    auto writer = beginIn(path());
    BOOST_REQUIRE(writer);
    for (std::uint64_t number = 0; number < kTrain + kTest; ++number)
      BOOST_REQUIRE(writer->add(sampleOf(number)));
    BOOST_REQUIRE(writer->finish("of letters", {1, 2, 3, 4, 5, 6, 7, 300, 9}));
  }

  fs::path path() const { return folder_ / "letters.sumac"; }
  Bytes bytes() const { return *readFile(path(), std::uint64_t{1} << 24U); }
  void write(BytesView bytes) const { BOOST_REQUIRE(replaceFile(path(), bytes)); }

  /// Opens a file with these bytes instead.
  Result<PackedFile::Opened> openWith(BytesView bytes) const {
    write(bytes);
    return PackedFile::open(path());
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(packed_file, Fixture)

BOOST_AUTO_TEST_CASE(samples_labels_and_description_come_back) {
  const auto opened = PackedFile::open(path());

  BOOST_REQUIRE(opened);
  BOOST_TEST(opened->description == "of letters  ");
  BOOST_TEST(opened->labels.at(7) == 300);
  BOOST_TEST(opened->file->opening().train == kTrain);
  Bytes sample(kSampleBytes);
  for (const std::uint64_t number : {8U, 0U, 2U, 5U, 2U}) {
    BOOST_REQUIRE(opened->file->read(number, sample));
    BOOST_TEST((sample == sampleOf(number)));
  }
  BOOST_TEST(fs::file_size(path()) == opened->file->opening().fileBytes());
}

BOOST_AUTO_TEST_CASE(refuses_every_flipped_bit_of_the_head_before_any_sample) {
  const Bytes whole = bytes();
  const auto opening = PackedFile::open(path())->file->opening();
  for (std::size_t at = 0; at < kPackedOpening + opening.headBytes(); ++at) {
    Bytes damaged = whole;
    damaged[at] ^= std::byte{1};
    const auto opened = openWith(damaged);
    BOOST_REQUIRE(!opened);
    BOOST_TEST(opened.error().code == ErrorCode::kInvalid);
    BOOST_TEST(opened.error().message.find(path().string()) != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(says_what_is_wrong_with_a_file) {
  const Bytes whole = bytes();
  const auto changed = [&](std::size_t at, auto value, bool has_checksum = true) {
    Bytes file = whole;
    storeLittleEndian(&file[at], value);
    if (has_checksum) storeLittleEndian(&file[60], crc32c(BytesView(file).first(60)));
    return file;
  };
  Bytes longer = whole;
  longer.push_back({});
  const auto cut = [&](std::size_t size) {
    const BytesView kept = BytesView(whole).first(size);
    return Bytes(kept.begin(), kept.end());
  };
  const std::pair<const char*, Bytes> kCases[] = {
      {"a byte too few", cut(whole.size() - 1)},
      {"half of it", cut(whole.size() / 2)},
      {"70 bytes", cut(70)},
      {"40 bytes", cut(40)},
      {"nothing", {}},
      {"a byte too many", longer},
      {"another magic number", changed(0, std::uint32_t{7}, false)},
      {"a damaged head", changed(20, std::uint32_t{1}, false)},
      {"a later version", changed(8, std::uint8_t{2})},
      // Impossible sizes, which are not allocated.
      {"training samples", changed(16, ~std::uint64_t{0})},
      {"test samples", changed(24, ~std::uint64_t{0})},
      {"bytes of a sample", changed(32, ~std::uint64_t{0})}};
  test::Refusals refusals(path().parent_path());
  for (const auto& [name, file] : kCases)
    refusals.add(name, openWith(file), "FOLDER/letters.sumac: ");
  refusals.compareWith("engine/packed/packed_file.txt");
}

BOOST_AUTO_TEST_CASE(a_damaged_chunk_is_refused_when_something_of_it_is_first_read) {
  Bytes damaged = bytes();
  const auto begin = PackedFile::open(path())->file->opening().dataBegin();
  damaged[begin + kPackedChunk + 5] ^= std::byte{1};
  write(damaged);

  const auto opened = PackedFile::open(path());

  BOOST_REQUIRE(opened);
  Bytes sample(kSampleBytes);
  BOOST_TEST(opened->file->read(0, sample).has_value());
  BOOST_TEST(opened->file->read(8, sample).has_value());
  test::Refusals refusals(path().parent_path());
  for (int again = 0; again < 2; ++again)  // sample 2 ends in the second chunk
    refusals.add("sample 2", opened->file->read(2, sample), std::to_string(begin + kPackedChunk));
  refusals.compareWith("engine/packed/damaged_chunk.txt");
}

BOOST_AUTO_TEST_CASE(a_file_that_is_cut_while_it_is_open_is_refused) {
  const auto opened = PackedFile::open(path());
  BOOST_REQUIRE(opened);
  Bytes sample(kSampleBytes);
  BOOST_REQUIRE(opened->file->read(8, sample));
  fs::resize_file(path(), opened->file->opening().dataBegin() + 10);

  test::Refusals refusals(path().parent_path());
  for (const std::uint64_t number : {0U, 8U})
    refusals.add("sample " + std::to_string(number), opened->file->read(number, sample));
  refusals.compareWith("engine/packed/cut_while_open.txt");
}

BOOST_AUTO_TEST_CASE(no_file_is_overwritten_unless_it_may_be) {
  const auto taken = beginIn(path());
  BOOST_REQUIRE(!taken);
  BOOST_TEST(taken.error().code == ErrorCode::kConflict);
  BOOST_TEST(beginIn(path(), Replace::kIfThere).has_value());
  BOOST_TEST(PackedFile::open(path()).has_value());
}

BOOST_AUTO_TEST_CASE(a_file_has_its_name_only_when_it_is_whole) {
  const fs::path other = path().parent_path() / "other.sumac";
  {
    auto writer = beginIn(other);
    BOOST_REQUIRE(writer);
    BOOST_REQUIRE(writer->add(sampleOf(0)));
    BOOST_TEST(!fs::exists(other));
    const auto second = beginIn(other);
    BOOST_REQUIRE(!second);
    BOOST_TEST(second.error().message.find("another process writes") != std::string::npos);
  }
  BOOST_TEST(!fs::exists(other));
  BOOST_TEST(!fs::exists(other.string() + ".unfinished"));
}

BOOST_AUTO_TEST_CASE(takes_what_a_killed_process_left) {
  const fs::path other = path().parent_path() / "other.sumac";
  BOOST_REQUIRE(createFile(other.string() + ".unfinished", asBytes("longer than nothing")));
  auto writer = beginIn(other);
  BOOST_REQUIRE(writer);
  for (std::uint64_t number = 0; number < kTrain + kTest; ++number)
    BOOST_REQUIRE(writer->add(sampleOf(number)));
  BOOST_REQUIRE(writer->finish("of letters", {1, 2, 3, 4, 5, 6, 7, 300, 9}));
  BOOST_TEST((*readFile(other, std::uint64_t{1} << 24U) == bytes()));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::packed_file_test
