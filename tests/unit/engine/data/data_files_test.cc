#include "engine/data/data_files.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <set>
#include <string>
#include <utility>

#include <boost/test/unit_test.hpp>

#include "base/core/file.h"
#include "engine/data/cifar.h"
#include "engine/data/class_folder.h"
#include "engine/data/csv_table.h"
#include "engine/data/generated.h"
#include "engine/data/idx_images.h"
#include "tests/unit/engine/data/files.h"

namespace sumac::worker::data_files_test {
namespace {

Images imagesOf(const model::Shape& shape) {
  return *generateImages({.train_samples = 30, .test_samples = 7, .shape = shape, .classes = 10});
}

bool same(const Samples& a, const Samples& b) {
  return a.shape == b.shape && a.pixels == b.pixels && a.labels == b.labels;
}

/// Files of a class come in the order of their names.
std::multiset<std::pair<int, std::string>> pixelsByLabel(const Samples& samples) {
  std::multiset<std::pair<int, std::string>> all;
  const auto size = static_cast<std::size_t>(model::count(samples.shape));
  for (std::size_t i = 0; i < samples.labels.size(); ++i) {
    const auto first = samples.pixels.begin() + static_cast<std::ptrdiff_t>(i * size);
    all.emplace(samples.labels[i], std::string(first, first + static_cast<std::ptrdiff_t>(size)));
  }
  return all;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(data_files, FilesFixture)

BOOST_AUTO_TEST_CASE(writes_idx_files_that_read_back) {
  const Images images = imagesOf({1, 28, 20});
  for (const auto compression : {Compression::kNone, Compression::kGzip}) {
    const auto place = folder() / (compression == Compression::kGzip ? "gzip" : "deep/plain");

    const auto paths = createFiles(place, idxFiles(images, compression));
    const auto read = loadIdxImages(place);

    BOOST_REQUIRE(paths);
    BOOST_TEST(paths->size() == 4U);
    BOOST_REQUIRE(read);
    BOOST_TEST(same(read->train, images.train));
    BOOST_TEST(same(read->test, images.test));
  }
}

BOOST_AUTO_TEST_CASE(writes_cifar10_files_that_read_back) {
  const Images images = imagesOf({3, 32, 32});

  BOOST_REQUIRE(createFiles(folder(), cifar10Files(images)));
  const auto read = loadCifar10(folder());

  BOOST_REQUIRE(read);
  BOOST_TEST(same(read->train, images.train));
  BOOST_TEST(same(read->test, images.test));
}

BOOST_AUTO_TEST_CASE(writes_pictures_of_which_each_reads_back_in_its_class) {
  for (const int channels : {1, 3}) {
    const Images images = imagesOf({channels, 9, 14});
    const auto place = folder() / std::to_string(channels);

    BOOST_REQUIRE(createFiles(place, pictureFiles(images)));
    const auto read = loadClassFolder(place, {});

    BOOST_REQUIRE(read);
    BOOST_TEST((read->images.train.shape == images.train.shape));
    BOOST_TEST(read->images.class_names.at(9) == "class-9");
    BOOST_TEST((pixelsByLabel(read->images.train) == pixelsByLabel(images.train)));
    BOOST_TEST((pixelsByLabel(read->images.test) == pixelsByLabel(images.test)));
  }
}

BOOST_AUTO_TEST_CASE(writes_tables_that_read_back) {
  const Images images = imagesOf({5});

  BOOST_REQUIRE(createFiles(folder(), csvFiles(images)));
  const auto read = loadCsv(folder(), "label");

  BOOST_REQUIRE(read);
  BOOST_TEST((read->images.train.labels == images.train.labels));
  BOOST_TEST(std::ranges::equal(read->images.train.values, images.train.pixels));
  BOOST_TEST(std::ranges::equal(read->images.test.values, images.test.pixels));
}

BOOST_AUTO_TEST_CASE(writes_text_that_reads_back_in_the_same_words) {
  const auto text = generateText({.train_tokens = 500, .test_tokens = 50, .vocabulary = 60});
  BOOST_REQUIRE(text);

  BOOST_REQUIRE(createFiles(folder(), textFiles(*text)));
  const auto read = loadText(folder());

  BOOST_REQUIRE(read);
  BOOST_TEST(read->valid.size() == 50U);
  BOOST_TEST(read->test.size() == 50U);
  BOOST_REQUIRE(read->train.size() == 500U);
  for (std::size_t i = 0; i < 500; ++i) {
    BOOST_TEST(read->vocabulary[static_cast<std::size_t>(read->train[i])] ==
               text->vocabulary[static_cast<std::size_t>(text->train[i])]);
  }
}

BOOST_AUTO_TEST_CASE(overwrites_nothing_and_writes_nothing_then) {
  const std::vector<NamedFile> files{{"a", Bytes(1)}, {"b", Bytes(2)}};
  write("b", "before");

  failed(createFiles(folder(), files), ErrorCode::kConflict, {path("b"), "exists already"});

  BOOST_TEST(!std::filesystem::exists(path("a")));
  BOOST_TEST(*readTextFile(path("b"), 100) == "before");
}

BOOST_AUTO_TEST_CASE(follows_no_link_that_leads_nowhere) {
  std::filesystem::create_symlink(path("elsewhere"), path("a"));

  failed(createFiles(folder(), {{"a", Bytes(1)}}), ErrorCode::kConflict, {path("a")});
}

BOOST_AUTO_TEST_CASE(says_which_folder_cannot_be_made) {
  write("file", "x");

  failed(createFiles(path("file"), {{"a", Bytes(1)}}), ErrorCode::kNotFound, {path("file")});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::data_files_test
