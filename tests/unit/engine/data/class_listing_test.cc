#include "engine/data/class_listing.h"

#include <boost/test/unit_test.hpp>

#include "engine/data/samples.h"
#include "tests/support/refusals.h"
#include "tests/unit/engine/data/files.h"

namespace sumac::worker::class_listing_test {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

/// Cats and dogs; files are listed, not read.
struct Fixture : FilesFixture {
  Fixture() {
    add("train/dog/b.jpg");
    add("train/cat/b.png");
    add("train/cat/a.JPEG");
  }

  void add(const std::string& name) const {
    fs::create_directories((folder() / name).parent_path());
    write(name, "");
  }
  ClassListing listed() const {
    auto listing = listClasses(folder());
    BOOST_REQUIRE_MESSAGE(listing, (listing ? "" : listing.error().message));
    return *std::move(listing);
  }
  Names namesOf(const std::vector<ListedPicture>& pictures) const {
    Names names;
    for (const ListedPicture& picture : pictures)
      names.push_back(std::to_string(picture.label) + " " +
                      fs::relative(picture.path, folder()).string());
    return names;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(class_listing, Fixture)

BOOST_AUTO_TEST_CASE(lists_classes_and_pictures_by_their_bytes) {
  add("train/Zebra/z.png");
  add("test/dog/1.PnG");
  const ClassListing listing = listed();
  BOOST_TEST(listing.classes == (Names{"Zebra", "cat", "dog"}), boost::test_tools::per_element());
  BOOST_TEST(namesOf(listing.train) == (Names{"0 train/Zebra/z.png", "1 train/cat/a.JPEG",
                                              "1 train/cat/b.png", "2 train/dog/b.jpg"}),
             boost::test_tools::per_element());
  BOOST_TEST(namesOf(listing.test) == (Names{"2 test/dog/1.PnG"}),
             boost::test_tools::per_element());
  BOOST_TEST(listing.warning == "");
}

BOOST_AUTO_TEST_CASE(the_folder_test_may_be_missing) {
  BOOST_TEST(listed().test.empty());
}

BOOST_AUTO_TEST_CASE(passes_over_hidden_files_in_silence_and_counts_others) {
  for (const char* hidden : {"train/.git/a.png", "train/cat/.a.png", "train/.DS_Store"})
    add(hidden);
  BOOST_TEST(listed().warning == "");
  for (const char* other : {"train/cat/png", "train/cat/c.gif", "train/readme.png"})
    add(other);
  add("train/cat/more/d.png");
  const ClassListing listing = listed();
  BOOST_TEST(listing.train.size() == 3);
  BOOST_TEST((listing.warning.find(": 4 in ") != std::string::npos), listing.warning);
  BOOST_TEST(listing.warning.ends_with("train/cat/c.gif"), listing.warning);
}

BOOST_AUTO_TEST_CASE(follows_links_and_ends_where_they_lead_in_circles) {
  fs::create_directory_symlink(folder() / "train/cat", folder() / "train/puma");
  fs::create_symlink(folder() / "train/cat/b.png", folder() / "train/dog/c.png");
  const ClassListing listing = listed();
  BOOST_TEST(listing.classes == (Names{"cat", "dog", "puma"}), boost::test_tools::per_element());
  BOOST_TEST(listing.train.size() == 6);
  fs::create_directory_symlink(folder() / "train", folder() / "train/round");
  failed(listClasses(folder()), ErrorCode::kInvalid, {path("train/round") + ": "});
}

BOOST_AUTO_TEST_CASE(names_of_classes_may_have_letters_of_any_language) {
  add("train/\xC3\xA4/a.png");
  BOOST_TEST(listed().classes.size() == 3);
}

BOOST_AUTO_TEST_CASE(says_what_is_wrong_with_a_folder) {
  test::Refusals refusals(folder());
  const auto addWithout = [&](const char* name, const char* where, const std::string& wrong) {
    refusals.add(name, listClasses(folder()), where);
    fs::remove_all(folder() / wrong);
  };
  add("train/emu/a.webp");
  addWithout("a class without pictures", "FOLDER/train/emu: ", "train/emu");
  add("test/emu/a.png");
  addWithout("a class to measure with alone", "FOLDER/test/emu: ", "test");
  fs::create_directories(folder() / "test/cat");
  addWithout("no pictures to measure with", "FOLDER/test: ", "test");
  add("train/\xFF/a.png");
  addWithout("a name that is not UTF-8", "FOLDER/train: ", "train/\xFF");
  add("train/a\nb/a.png");
  addWithout("a name of two lines", "FOLDER/train: ", "train/a\nb");
  fs::remove_all(folder() / "train/dog");
  addWithout("one class", "FOLDER/train: ", "train");
  refusals.add("no train", listClasses(folder()), "FOLDER/train", ErrorCode::kNotFound);
  add("train/a.png");
  refusals.add("no classes", listClasses(folder()), "FOLDER/train: ");
  refusals.compareWith("engine/data/class_listing.txt");
}

BOOST_AUTO_TEST_CASE(more_classes_than_labels_have_numbers) {
  // Two are there, cat and dog; links cost less than folders.
  for (int i = 2; i <= kMaxClasses; ++i)
    fs::create_directory_symlink("cat", folder() / "train" / std::to_string(i));
  failed(listClasses(folder()), ErrorCode::kInvalid, {"65537 classes, at most 65536"});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::class_listing_test
