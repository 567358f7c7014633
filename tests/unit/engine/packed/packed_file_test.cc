#include "engine/packed/packed_file.h"

#include <filesystem>
#include <string>

#include <boost/test/unit_test.hpp>

#include "base/core/crc32c.h"
#include "base/core/file.h"
#include "engine/packed/pack_writer.h"
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

  void isRefused(std::string_view first, std::string_view second) const {
    const auto opened = PackedFile::open(path());
    BOOST_REQUIRE(!opened);
    BOOST_TEST(opened.error().code == ErrorCode::kInvalid);
    const std::string& message = opened.error().message;
    BOOST_TEST(message.starts_with("cannot use " + path().string() + ": "), message);
    for (const std::string_view part : {first, second})
      BOOST_TEST(message.find(part) != std::string::npos, message);
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
    write(damaged);
    isRefused(at < kPackedMagic.size() ? "not a packed file" : "damaged", "sumac data pack");
  }
}

BOOST_AUTO_TEST_CASE(refuses_a_file_that_was_cut_or_added_to) {
  const Bytes whole = bytes();
  for (const std::size_t kept : {whole.size() - 1, whole.size() / 2, std::size_t{70}}) {
    write(BytesView(whole).first(kept));
    isRefused(
        "has " + std::to_string(kept) + " bytes, and should have " + std::to_string(whole.size()),
        "was cut; pack it again");
  }
  write(BytesView(whole).first(40));
  isRefused("ends within its first 64 bytes", "pack it again");
  write({});
  isRefused("not a packed file", "sumac data pack DIR FILE");
  Bytes longer = whole;
  longer.push_back({});
  write(longer);
  isRefused("was added to", "pack it again");
}

BOOST_AUTO_TEST_CASE(refuses_a_later_version) {
  Bytes later = bytes();
  later[8] = std::byte{2};
  storeLittleEndian(&later[60], crc32c(BytesView(later).first(60)));
  write(later);
  isRefused("it has version 2", "this Sumac reads version 1");
}

BOOST_AUTO_TEST_CASE(refuses_impossible_sizes_without_allocating_them) {
  for (const std::size_t field : {16U, 24U, 32U}) {
    Bytes hostile = bytes();
    storeLittleEndian(&hostile[field], ~std::uint64_t{0});
    storeLittleEndian(&hostile[60], crc32c(BytesView(hostile).first(60)));
    write(hostile);
    isRefused("sizes are impossible", "pack it again");
  }
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
  for (int again = 0; again < 2; ++again) {
    const auto read = opened->file->read(2, sample);  // which ends in the second chunk
    BOOST_REQUIRE(!read);
    BOOST_TEST(read.error().code == ErrorCode::kInvalid);
    BOOST_TEST(read.error().message == "cannot use " + path().string() +
                                           ": it is damaged between the bytes " +
                                           std::to_string(begin + kPackedChunk) + " and " +
                                           std::to_string(begin + 2 * kPackedChunk) +
                                           "; remove it, and pack it again (`sumac data pack`) or "
                                           "copy it again from where it is whole");
  }
}

BOOST_AUTO_TEST_CASE(a_file_that_is_cut_while_it_is_open_is_refused) {
  const auto opened = PackedFile::open(path());
  BOOST_REQUIRE(opened);
  Bytes sample(kSampleBytes);
  BOOST_REQUIRE(opened->file->read(8, sample));
  fs::resize_file(path(), opened->file->opening().dataBegin() + 10);

  for (const std::uint64_t number : {0U, 8U}) {
    const auto read = opened->file->read(number, sample);
    BOOST_REQUIRE(!read);
    BOOST_TEST(read.error().code == ErrorCode::kInvalid);
    BOOST_TEST(read.error().message.find("it was cut while it was read") != std::string::npos);
  }
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
