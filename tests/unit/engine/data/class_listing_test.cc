#include "engine/data/class_listing.h"

#include <boost/test/unit_test.hpp>

#include "engine/data/samples.h"
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
  void refuses(std::initializer_list<std::string_view> words,
               ErrorCode code = ErrorCode::kInvalid) const {
    failed(listClasses(folder()), code, words);
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
  refuses({"train/round", "this class has no .png"});
}

BOOST_AUTO_TEST_CASE(without_train_there_is_nothing_to_learn_from) {
  fs::remove_all(folder() / "train");
  refuses({"there is no folder", "train", "train/CLASS/*.png"}, ErrorCode::kNotFound);
  add("train/a.png");
  refuses({"no folders of classes", "train/CLASS/*.png"});
}

BOOST_AUTO_TEST_CASE(one_class_is_too_few) {
  fs::remove_all(folder() / "train/dog");
  refuses({"one class alone, cat"});
}

BOOST_AUTO_TEST_CASE(a_class_needs_pictures) {
  add("train/emu/a.webp");
  refuses({"train/emu", "add some, or remove the folder"});
}

BOOST_AUTO_TEST_CASE(a_class_to_measure_with_must_be_one_to_train_on) {
  add("test/emu/a.png");
  refuses({"test/emu", "give it pictures in train/"});
}

BOOST_AUTO_TEST_CASE(a_folder_test_needs_pictures) {
  fs::create_directories(folder() / "test/cat");
  refuses({"test", "add some, or remove it"});
}

BOOST_AUTO_TEST_CASE(names_of_classes_are_texts) {
  add("train/\xFF/a.png");
  refuses({"must be UTF-8", "rename the folder"});
  fs::remove_all(folder() / "train/\xFF");
  add("train/a\nb/a.png");
  refuses({"without control characters"});
  fs::remove_all(folder() / "train/a\nb");
  add("train/\xC3\xA4/a.png");
  BOOST_TEST(listed().classes.size() == 3);
}

BOOST_AUTO_TEST_CASE(more_classes_than_labels_have_numbers) {
  // Two are there, cat and dog; links cost less than folders.
  for (int i = 2; i <= kMaxClasses; ++i)
    fs::create_directory_symlink("cat", folder() / "train" / std::to_string(i));
  refuses({"65537 classes, at most 65536", "into one folder"});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::class_listing_test
