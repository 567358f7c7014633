#include "engine/packing/data_cache.h"

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/file.h"
#include "engine/data/dataset.h"
#include "tests/support/pictures/picture_files.h"
#include "tests/support/temporary_folder.h"

namespace sumac::worker::data_cache_test {
namespace {

namespace fs = std::filesystem;

/// Four gray pictures of 2x3 pixels: 24 bytes.
class Fixture {
 public:
  Fixture() {
    for (int i = 0; i < 4; ++i)
      write("photos/train/" + std::string(i % 2 == 0 ? "cat/" : "dog/") + std::to_string(i), i);
  }

  void write(const std::string& name, int seed) const {
    const fs::path path = folder_ / (name + ".png");
    fs::create_directories(path.parent_path());
    std::error_code ignored;
    fs::remove(path, ignored);
    BOOST_REQUIRE(createFile(path, pngOf(gradientPicture(1, {2, 3}))));
    fs::last_write_time(path, fs::file_time_type(std::chrono::seconds(1000 + seed)));
  }

  job::DataSpec photos() const {
    job::DataSpec data;
    data.format = job::DataFormat::kFolder;
    data.path = (folder_ / "photos").string();
    return data;
  }

  fs::path cache() const { return folder_ / "cache" / "data"; }

  Result<CachedPack> pack(const job::DataSpec& data, std::uint64_t max_bytes = 23) {
    return packIntoCache(data, {.folder = cache(),
                                .threads = 2,
                                .max_bytes = max_bytes,
                                .on_begin = [this](const fs::path&, std::uint64_t bytes) {
                                  begun_.push_back(bytes);
                                }});
  }

  const std::vector<std::uint64_t>& begun() const { return begun_; }
  const TemporaryFolder& folder() const { return folder_; }

 private:
  TemporaryFolder folder_;
  std::vector<std::uint64_t> begun_;  // bytes of what was packed
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(data_cache, Fixture)

BOOST_AUTO_TEST_CASE(packs_only_what_takes_more_than_memory_is_to_hold) {
  const auto fits = pack(photos(), 24);
  BOOST_REQUIRE(fits.has_value());
  BOOST_TEST(fits->file.empty());
  BOOST_TEST(!fs::exists(cache()));

  const auto packed = pack(photos());
  BOOST_TEST_REQUIRE(packed.has_value(), (packed ? "" : packed.error().message));
  BOOST_TEST(begun() == std::vector<std::uint64_t>{24});
  BOOST_TEST(packed->file.parent_path() == cache());
  auto held_back = photos();
  held_back.validation = 0.25;
  const auto plain = loadDataset(held_back, {});
  const auto found = loadDataset(held_back, {.packed = packed->file});
  BOOST_REQUIRE((plain && found));
  BOOST_TEST(found->fingerprint == plain->fingerprint);
}

BOOST_AUTO_TEST_CASE(the_same_files_are_packed_once) {
  const auto first = pack(photos());
  const auto second = pack(photos());
  BOOST_REQUIRE((first && second));
  BOOST_TEST(first->file == second->file);
  BOOST_TEST(begun().size() == 1);
}

BOOST_AUTO_TEST_CASE(files_that_changed_are_packed_again_in_the_place_of_before) {
  const auto first = pack(photos());
  write("photos/train/cat/0", /*seed=*/9);
  const auto later = pack(photos());
  write("photos/train/dog/4", /*seed=*/4);
  const auto more = pack(photos());
  BOOST_REQUIRE((first && later && more));
  BOOST_TEST(more->file == first->file);
  BOOST_TEST((begun() == std::vector<std::uint64_t>{24, 24, 30}));
}

BOOST_AUTO_TEST_CASE(other_sizes_and_a_folder_of_the_same_name_have_files_of_their_own) {
  auto resized = photos();
  resized.resize = {.height = 4, .width = 4};
  auto colored = photos();
  colored.channels = 3;
  auto other = photos();
  other.path = (folder() / "other" / "photos").string();
  fs::create_directories(folder() / "other");
  fs::copy(folder() / "photos", folder() / "other" / "photos", fs::copy_options::recursive);
  for (const auto& data : {photos(), resized, colored, other})
    BOOST_REQUIRE(pack(data).has_value());
  BOOST_TEST((begun() == std::vector<std::uint64_t>{24, 64, 72, 24}));
  BOOST_TEST(std::distance(fs::directory_iterator(cache()), {}) == 4);
}

BOOST_AUTO_TEST_CASE(a_damaged_file_is_replaced) {
  const auto first = pack(photos());
  BOOST_REQUIRE(first.has_value());
  fs::resize_file(first->file, 100);
  BOOST_REQUIRE(pack(photos()).has_value());
  BOOST_TEST(begun().size() == 2);
  const auto whole = pack(photos());
  BOOST_REQUIRE(whole.has_value());
  BOOST_TEST(begun().size() == 2);
}

BOOST_AUTO_TEST_CASE(data_of_other_formats_are_left_alone) {
  job::DataSpec data;
  data.name = "fashion-mnist-mini";
  const auto named = pack(data);
  BOOST_REQUIRE(named.has_value());
  BOOST_TEST(named->file.empty());
}

BOOST_AUTO_TEST_CASE(says_what_is_wrong_with_the_pictures) {
  fs::remove_all(folder() / "photos" / "train" / "dog");
  const auto one_class = pack(photos());
  BOOST_REQUIRE(!one_class.has_value());
  BOOST_TEST((one_class.error().code == ErrorCode::kInvalid));
  BOOST_TEST(begun().empty());
}

BOOST_AUTO_TEST_CASE(without_a_place_for_it_says_what_to_do) {
  const auto nowhere = packIntoCache(photos(), {.folder = {}, .max_bytes = 1});
  BOOST_REQUIRE(!nowhere.has_value());
  BOOST_TEST(nowhere.error().message.find("XDG_CACHE_HOME") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::data_cache_test
