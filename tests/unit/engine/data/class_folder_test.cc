#include "engine/data/class_folder.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/pictures/picture_files.h"
#include "tests/unit/engine/data/files.h"

namespace sumac::worker::class_folder_test {
namespace {

/// A picture of one color.
Picture plain(std::uint8_t value, PictureSize size = {2, 3}, int channels = 1) {
  const int count = channels * size.height * size.width;
  return {channels, size.height, size.width,
          std::vector<std::uint8_t>(static_cast<std::size_t>(count), value)};
}

struct Fixture : FilesFixture {
  Fixture() {
    add("train/dog/b.png", pngOf(plain(30)));
    add("train/cat/a.png", pngOf(plain(10)));
    add("train/cat/b.png", pngOf(plain(20)));
    add("test/dog/a.png", pngOf(plain(40)));
  }

  void add(const std::string& name, const Bytes& bytes) const {
    std::filesystem::create_directories((folder() / name).parent_path());
    write(name, asText(bytes));
  }
  Images loaded(const ClassFolderOptions& options = {}) const {
    auto found = loadClassFolder(folder(), options);
    BOOST_REQUIRE_MESSAGE(found, (found ? "" : found.error().message));
    return std::move(found->images);
  }
  void refuses(std::initializer_list<std::string_view> words,
               const ClassFolderOptions& options = {}, ErrorCode code = ErrorCode::kInvalid) const {
    failed(loadClassFolder(folder(), options), code, words);
  }
};

/// The first pixel of each sample.
std::vector<int> firstPixels(const Samples& samples) {
  std::vector<int> pixels;
  const auto size = static_cast<std::size_t>(model::count(samples.shape));
  for (std::size_t i = 0; i < samples.pixels.size(); i += size)
    pixels.push_back(samples.pixels[i]);
  return pixels;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(class_folder, Fixture)

BOOST_AUTO_TEST_CASE(loads_pixels_labels_and_names) {
  const Images images = loaded();
  BOOST_TEST(images.classes == 2);
  BOOST_TEST(images.class_names == (std::vector<std::string>{"cat", "dog"}),
             boost::test_tools::per_element());
  BOOST_TEST((images.train.shape == model::Shape{1, 2, 3}));
  BOOST_TEST((images.test.shape == model::Shape{1, 2, 3}));
  BOOST_TEST(images.train.pixels.size() == 18);
  BOOST_TEST(firstPixels(images.train) == (std::vector<int>{10, 20, 30}),
             boost::test_tools::per_element());
  BOOST_TEST(images.train.labels == (std::vector<std::uint16_t>{0, 0, 1}),
             boost::test_tools::per_element());
  BOOST_TEST(firstPixels(images.test) == (std::vector<int>{40}), boost::test_tools::per_element());
  BOOST_TEST(images.test.labels == (std::vector<std::uint16_t>{1}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(without_a_folder_test_the_shape_is_the_same) {
  std::filesystem::remove_all(folder() / "test");
  const Images images = loaded();
  BOOST_TEST(images.test.count() == 0);
  BOOST_TEST((images.test.shape == model::Shape{1, 2, 3}));
}

BOOST_AUTO_TEST_CASE(tells_how_different_the_pictures_are) {
  add("train/cat/c.png", pngOf(plain(1, {5, 2})));
  add("test/dog/c.jpg", jpegOf(gradientPicture(3, {1, 7})));

  const auto range = rangeOfPictures(*listClasses(folder()), /*threads=*/2);

  BOOST_REQUIRE(range);
  BOOST_TEST((range->least == PictureSize{1, 2}));
  BOOST_TEST((range->greatest == PictureSize{5, 7}));
  BOOST_TEST(range->has_gray);
  BOOST_TEST(range->has_color);
  add("train/dog/a.png", {});
  failed(rangeOfPictures(*listClasses(folder()), 1), ErrorCode::kInvalid, {"train/dog/a.png"});
}

BOOST_AUTO_TEST_CASE(more_threads_load_the_same) {
  for (int i = 0; i < 40; ++i)
    add("train/cat/" + std::to_string(i) + ".jpg", jpegOf(gradientPicture(1, {2, 3})));
  const Images one = loaded();
  const Images many = loaded({.threads = 7});
  BOOST_TEST(one.train.pixels == many.train.pixels, boost::test_tools::per_element());
  BOOST_TEST(one.train.labels == many.train.labels, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(of_several_bad_files_the_first_is_named_whatever_the_threads) {
  for (int i = 10; i < 60; ++i)
    add("train/cat/" + std::to_string(i) + ".png", pngOf(plain(1)));
  for (const char* bad : {"train/cat/20.png", "train/cat/21.png", "train/dog/b.png"}) {
    Bytes cut = pngOf(plain(1));
    cut.resize(cut.size() - 20);
    add(bad, cut);
  }
  for (int threads = 1; threads < 8; ++threads)
    refuses({"train/cat/20.png: "}, {.threads = threads});
}

BOOST_AUTO_TEST_CASE(names_the_first_two_pictures_whose_sizes_differ) {
  add("train/cat/c.png", pngOf(plain(1, {5, 4})));
  add("test/cat/c.png", pngOf(plain(1, {6, 6})));
  refuses({"train/cat/a.png is 2x3 gray", "train/cat/c.png is 5x4 gray", "data.resize"});
  const Images images = loaded({.resize = PictureSize{4, 4}});
  BOOST_TEST((images.train.shape == model::Shape{1, 4, 4}));
  BOOST_TEST(images.train.pixels.size() == 64);
}

BOOST_AUTO_TEST_CASE(pictures_to_measure_with_must_be_alike_too) {
  add("test/cat/c.png", pngOf(plain(1, {6, 6})));
  refuses({"train/cat/a.png", "test/cat/c.png is 6x6 gray"});
}

BOOST_AUTO_TEST_CASE(a_portrait_is_compared_as_it_is_seen) {
  add("train/cat/c.jpg", jpegOf(plain(1, {3, 2}), {.orientation = 6}));
  BOOST_TEST(loaded().train.count() == 4);
  add("train/cat/c.jpg", jpegOf(plain(1, {2, 3}), {.orientation = 6}));
  refuses({"train/cat/c.jpg is 3x2 gray"});
}

BOOST_AUTO_TEST_CASE(gray_and_colored_pictures_need_a_word) {
  add("train/cat/c.png", pngOf(plain(1, {2, 3}, 3)));
  refuses({"train/cat/a.png is 2x3 gray", "train/cat/c.png is 2x3 colored", "data.channels"});
  BOOST_TEST((loaded({.channels = 1}).train.shape == model::Shape{1, 2, 3}));
  BOOST_TEST((loaded({.channels = 3}).train.shape == model::Shape{3, 2, 3}));
}

BOOST_AUTO_TEST_CASE(what_a_head_tells_is_said_before_any_picture_is_decoded) {
  Bytes cut = pngOf(plain(1));
  cut.resize(cut.size() - 20);
  add("train/cat/a.png", cut);
  add("train/dog/c.png", encode({.bits = 16, .rows = {0, 0}}));
  refuses({"train/dog/c.png: it has 16 bits a channel"});
}

BOOST_AUTO_TEST_CASE(a_head_behind_much_else_is_found) {
  const Bytes file = jpegOf(plain(1));
  Bytes longer(file.begin(), file.begin() + 2);
  for (int i = 0; i < 3; ++i) {
    for (const unsigned byte : {0xFFU, 0xE2U, 0xFFU, 0xFFU})
      longer.push_back(static_cast<std::byte>(byte));
    longer.resize(longer.size() + 0xFFFD);
  }
  longer.insert(longer.end(), file.begin() + 2, file.end());
  add("train/cat/c.jpg", longer);
  BOOST_TEST(loaded().train.count() == 4);
}

BOOST_AUTO_TEST_CASE(a_name_of_something_else_is_no_picture) {
  std::filesystem::create_symlink("nowhere", folder() / "train/cat/c.png");
  refuses({"train/cat/c.png"}, {}, ErrorCode::kNotFound);
}

BOOST_AUTO_TEST_CASE(more_than_memory_is_to_hold_is_refused_before_it_is_decoded) {
  // Of 48 MB each: 44 of them fit, 45 do not.
  const ClassFolderOptions large{.channels = 3, .resize = PictureSize{4000, 4000}};
  for (int i = 0; i < 41; ++i)
    add("train/cat/" + std::to_string(i) + ".png", pngOf(plain(1)));
  refuses({"its 45 pictures", "2.0 GiB", "`sumac data pack " + folder().string(),
           ".sumac --resize 4000x4000 --channels 3`", "data.resize"},
          large);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::class_folder_test
