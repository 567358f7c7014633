#include "cli/init/layouts.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"

namespace sumac::cli::layouts_test {
namespace {

using job::DataFormat;
using Entries = std::vector<FolderEntry>;

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

BOOST_AUTO_TEST_CASE(say_what_is_there_what_was_looked_for_and_what_to_do) {
  Entries many;
  for (int i = 0; i < 12; ++i)
    many.push_back({"file-" + std::to_string(i), i == 0});
  test::Transcript said;
  said.add("many files", noFormatAmong("photos", many));
  said.add("nothing", noFormatAmong("photos", {}));
  said.add("classes", noFormatAmong("photos", Entries{{"cat", true, true}, {"dog", true, true}}));
  said.add("a table", noFormatAmong(".", Entries{{"iris.csv", false}}));
  said.add("a text", noFormatAmong(".", Entries{{"faust.txt", false}}));
  said.add("two tables", noFormatAmong(".", Entries{{"a.csv", false}, {"b.csv", false}}));
  test::checkGolden("cli/init/no_format.txt", said.text());
}

BOOST_AUTO_TEST_CASE(take_the_likely_column_for_the_classes) {
  using Names = std::vector<std::string>;
  BOOST_TEST(likelyLabel(Names{"class", "label", "x"}) == "label");
  BOOST_TEST(likelyLabel(Names{"x", "Species", "z"}) == "Species");
  BOOST_TEST(likelyLabel(Names{"x", "z", "quality"}) == "quality");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::layouts_test
