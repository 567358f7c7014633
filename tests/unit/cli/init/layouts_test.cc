#include "cli/init/layouts.h"

#include <boost/test/unit_test.hpp>

namespace sumac::cli::layouts_test {
namespace {

using job::DataFormat;
using Entries = std::vector<FolderEntry>;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(layouts)

BOOST_AUTO_TEST_CASE(recognize_each_format_by_the_names_of_its_files) {
  struct Case {
    std::string name;
    bool is_folder;
    DataFormat format;
  };
  for (const auto& [name, is_folder, format] :
       std::vector<Case>{{"train", true, DataFormat::kFolder},
                         {"train.csv", false, DataFormat::kCsv},
                         {"train.txt", false, DataFormat::kText},
                         {"ptb.train.txt", false, DataFormat::kText},
                         {"x_train.npy", false, DataFormat::kNpy},
                         {"digits.npz", false, DataFormat::kNpy},
                         {"train-images-idx3-ubyte", false, DataFormat::kIdx},
                         {"train-images-idx3-ubyte.gz", false, DataFormat::kIdx},
                         {"data_batch_3.bin", false, DataFormat::kCifar10},
                         {"photos.sumac", false, DataFormat::kPacked},
                         {"train.bin", false, DataFormat::kCifar100}}) {
    const auto formats = formatsAmong(Entries{{"README", false}, {name, is_folder}});

    BOOST_TEST_REQUIRE(formats.size() == 1U, name);
    BOOST_TEST((formats[0] == format), name);
  }
}

BOOST_AUTO_TEST_CASE(are_not_recognized_by_half_a_name) {
  BOOST_TEST(formatsAmong(Entries{}).empty());
  BOOST_TEST(formatsAmong(Entries{{"train", false},
                                  {"train.csv", true},
                                  {"strain.txt", false},
                                  {"train.csv.bak", false},
                                  {"training", true}})
                 .empty());
}

BOOST_AUTO_TEST_CASE(of_two_formats_both_are_known) {
  BOOST_TEST(
      formatsAmong(Entries{{"train", true}, {"train.csv", false}, {"train.csv", false}}).size() ==
      2U);
}

BOOST_AUTO_TEST_CASE(say_what_is_there_and_what_was_looked_for) {
  Entries many;
  for (int i = 0; i < 12; ++i)
    many.push_back({"file-" + std::to_string(i), i == 0});

  const std::string text = noFormatAmong("photos", many);

  BOOST_TEST(
      text.starts_with("there are no data to train on in photos, which has file-0/, file-1"));
  BOOST_TEST(contains(text, "and 4 more\n"));
  BOOST_TEST(contains(text, "train/CLASS/*.png"));
  BOOST_TEST(contains(noFormatAmong("photos", {}), "which has nothing\n"));
}

BOOST_AUTO_TEST_CASE(say_what_to_do_where_little_is_missing) {
  BOOST_TEST(contains(noFormatAmong("photos", Entries{{"cat", true, true}, {"dog", true, true}}),
                      "make photos/train and move them there"));
  BOOST_TEST(contains(noFormatAmong(".", Entries{{"iris.csv", false}}),
                      "to train on iris.csv, call it train.csv"));
  BOOST_TEST(contains(noFormatAmong(".", Entries{{"faust.txt", false}}), "call it train.txt"));
  BOOST_TEST(!contains(noFormatAmong(".", Entries{{"a.csv", false}, {"b.csv", false}}), "call it"));
}

BOOST_AUTO_TEST_CASE(take_the_likely_column_for_the_classes) {
  using Names = std::vector<std::string>;
  BOOST_TEST(likelyLabel(Names{"class", "label", "x"}) == "label");
  BOOST_TEST(likelyLabel(Names{"x", "Species", "z"}) == "Species");
  BOOST_TEST(likelyLabel(Names{"x", "z", "quality"}) == "quality");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::layouts_test
