#include "engine/data/csv_table.h"

#include <boost/test/unit_test.hpp>

#include "tests/unit/engine/data/files.h"

namespace sumac::worker::csv_table_test {
namespace {

constexpr std::string_view kTrain =
    "length,species,color\n"
    "1.5,wolf,gray\n"
    "-2e1,cat,\"red, dark\"\n"
    "+3,cat,gray\n";
constexpr std::string_view kTest = "species,color,length\ncat,gray,7\n";

struct Fixture : FilesFixture {
  Result<CsvTable> load(std::string_view train, std::string_view test,
                        const std::string& label = "species") const {
    write("train.csv", train);
    write("test.csv", test);
    return loadCsv(folder(), label);
  }

  void refusesTrain(std::string_view train, std::initializer_list<std::string_view> words,
                    const std::string& label = "species") const {
    failed(load(train, kTest, label), ErrorCode::kInvalid, words);
  }
  void refusesTest(std::string_view test, std::initializer_list<std::string_view> words) const {
    failed(load(kTrain, test), ErrorCode::kInvalid, words);
  }
};

void checkValues(const Samples& samples, const std::vector<float>& values,
                 const std::vector<std::uint16_t>& labels) {
  BOOST_TEST(samples.values == values, boost::test_tools::per_element());
  BOOST_TEST(samples.labels == labels, boost::test_tools::per_element());
  BOOST_TEST(samples.pixels.empty());
}

using Names = std::vector<std::string>;

void checkNames(const Names& found, const Names& expected) {
  BOOST_TEST(found == expected, boost::test_tools::per_element());
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(csv_table, Fixture)

BOOST_AUTO_TEST_CASE(makes_features_of_numbers_and_categories) {
  const auto table = load(kTrain, kTest);

  BOOST_REQUIRE(table);
  BOOST_TEST(table->images.classes == 2);
  checkNames(table->images.class_names, {"cat", "wolf"});
  BOOST_TEST(model::toString(table->images.train.shape) == "3");
  BOOST_TEST(model::toString(table->images.test.shape) == "3");
  checkValues(table->images.train, {1.5F, 1, 0, -20, 0, 1, 3, 1, 0}, {1, 0, 0});
  checkValues(table->images.test, {7, 1, 0}, {0});
}

BOOST_AUTO_TEST_CASE(describes_the_columns) {
  const auto table = load(kTrain, kTest);

  BOOST_REQUIRE(table);
  const CsvColumns expected{
      "species",
      {{"length", CsvKind::kNumeric, {}}, {"color", CsvKind::kCategorical, {"gray", "red, dark"}}}};
  BOOST_TEST((table->columns == expected));
}

BOOST_AUTO_TEST_CASE(reads_tables_of_numbers_alone) {
  const auto table = load("a,species,b\n1,x,2\n3,y,4\n", "a,species,b\n5,y,6\n");

  BOOST_REQUIRE(table);
  checkValues(table->images.train, {1, 2, 3, 4}, {0, 1});
  checkValues(table->images.test, {5, 6}, {1});
}

BOOST_AUTO_TEST_CASE(sorts_classes_as_integers_where_all_are) {
  const auto integers = load("species,a\n10,0\n9,0\n-1,0\n", "species,a\n9,0\n");
  BOOST_REQUIRE(integers);
  checkNames(integers->images.class_names, {"-1", "9", "10"});
  checkValues(integers->images.train, {0, 0, 0}, {2, 1, 0});
  checkValues(integers->images.test, {0}, {1});

  const auto texts = load("species,a\n10,0\n9,0\nx,0\n", "species,a\n9,0\n");
  BOOST_REQUIRE(texts);
  checkNames(texts->images.class_names, {"10", "9", "x"});
}

BOOST_AUTO_TEST_CASE(gathers_categories_also_where_a_column_begins_with_numbers) {
  const auto table = load("species,a\nx,7\ny,red\nx,green\n", "species,a\nx,7\ny,green\n");

  BOOST_REQUIRE(table);
  checkNames(table->columns.columns[0].categories, {"7", "green", "red"});
  checkValues(table->images.train, {1, 0, 0, 0, 0, 1, 0, 1, 0}, {0, 1, 0});
  checkValues(table->images.test, {1, 0, 0, 0, 1, 0}, {0, 1});
}

BOOST_AUTO_TEST_CASE(takes_lines_as_spreadsheets_write_them) {
  const auto table =
      load("\xEF\xBB\xBF\"species\",a\r\nx,1\r\n\"y\",\"2\"\r\n\r\n", "species, a\r\ny, 3");

  BOOST_REQUIRE(table);
  checkValues(table->images.train, {1, 2}, {0, 1});
  checkValues(table->images.test, {3}, {1});
}

BOOST_AUTO_TEST_CASE(refuses_headers_that_name_no_table) {
  const std::string train = path("train.csv");
  refusesTrain("", {train + ":1:1", "it is empty; write a header"});
  refusesTrain("a,a,species\n", {train + ":1:3", "columns 1 and 2 are both called 'a'; rename"});
  refusesTrain(",a,species\n", {train + ":1:1", "column 1 has no name", "index=False"});
  refusesTrain("a,spezies\n1,x\n", {train + ":1:1", "no column 'species'",
                                    "the columns are 'a', 'spezies'", "did you mean `spezies`?"});
  refusesTrain("a;species\n", {"separated by semicolons; write commas"});
  refusesTrain("a\tspecies\n", {"separated by tabs; write commas"});
  refusesTrain("species\nx\n", {train + ":1:1", "no column but 'species'", "add the columns"});
  refusesTrain("a,\"b\nc\",species\n", {train + ":1:3", "'b?c' has a line end", "remove it"});
  refusesTrain("a,b\xE4,species\n", {train + ":1:3", "is not UTF-8", "iconv"});
  refusesTrain("a," + std::string(1025, 'n') + ",species\n", {"more than 1,024 bytes"});
  refusesTrain("a,species\n", {train + ":2:1", "no lines below the header"});
}

BOOST_AUTO_TEST_CASE(lists_at_most_20_columns) {
  std::string header = "c0";
  for (int i = 1; i < 30; ++i)
    header += ",c" + std::to_string(i);
  refusesTrain(header, {"'c19' and 10 more"});
}

BOOST_AUTO_TEST_CASE(refuses_lines_with_another_number_of_cells) {
  const std::string train = path("train.csv");
  refusesTrain("a,species\n1,x\n2\n", {train + ":3:2", "found 1 cell in this line, expected 2"});
  refusesTrain("a,species\n1,x\n2,3,y\n",
               {train + ":3:5", "found 3 cells in this line, expected 2", "commas in quotes"});
}

BOOST_AUTO_TEST_CASE(refuses_missing_cells) {
  const std::string train = path("train.csv");
  refusesTrain("a,species\n1,x\n,y\n", {train + ":3:1", "column 'a' has no value here", "leave"});
  refusesTrain("a,species\nred,x\n\"\",y\n", {train + ":3:1", "column 'a' has no value here"});
  refusesTrain("a,species\n1,x\n2,\n", {train + ":3:3", "there is no class here"});
  refusesTest("species,color,length\ncat,gray,\n", {path("test.csv") + ":2:10", "no value here"});
  refusesTest("species,color,length\ncat,,7\n", {path("test.csv") + ":2:5", "no value here"});
  refusesTest("species,color,length\n,gray,7\n", {path("test.csv") + ":2:1", "no class here"});
}

BOOST_AUTO_TEST_CASE(refuses_texts_among_numbers) {
  for (const std::string_view text :
       {"?", "nan", "inf", "1e39", "1 000", "0x1", "+-1", "-", "1e"}) {
    refusesTrain("a,species\n1,x\n" + std::string(text) + ",y\n2,x\n",
                 {path("train.csv") + ":3:1: column 'a' has numbers in 2 of 3 lines, but here '" +
                      std::string(text) + "'",
                  "write it as a number, or leave the line out"});
  }
  // Also where the column begins with a text, and at exactly a half.
  refusesTrain("a,species\n?,x\n1,y\n", {":2:1", "in 1 of 2 lines, but here '?'"});
  refusesTest("species,color,length\ncat,gray,7\nwolf,gray,long\n",
              {path("test.csv") + ":3:11: column 'length' has numbers, but here 'long'"});
}

BOOST_AUTO_TEST_CASE(refuses_what_only_the_test_has) {
  const std::string test = path("test.csv");
  refusesTest("species,color,length\ncat,blue,7\n",
              {test + ":2:5", "column 'color' has 'blue' here", "no line to train on has"});
  refusesTest("species,color,length\ndog,gray,7\n",
              {test + ":2:1", "no line to train on has the class 'dog'"});
  refusesTest("species,color,length,age\ncat,gray,7,1\n",
              {test + ":1:22", "have no column 'age'; both have the same columns"});
  refusesTest("species,length\ncat,7\n", {test + ":1:1", "there is no column 'color'"});
  refusesTest("color,length\ngray,7\n", {test + ":1:1", "there is no column 'species'"});
  refusesTest("species,color,length\n", {test, "no lines below the header"});
}

BOOST_AUTO_TEST_CASE(refuses_one_class_and_categories_beyond_the_limit) {
  refusesTrain("a,species\n1,x\n2,x\n", {":1:3", "all lines have the class 'x'", "two or more"});
  std::string many = "a,species\n";
  for (std::size_t i = 0; i < kMaxCategories; ++i)
    many += "n" + std::to_string(i) + "," + (i % 2 == 0 ? "x" : "y") + "\n";
  BOOST_TEST(load(many, "a,species\nn7,x\n").has_value());
  refusesTrain(many + "another,x\n", {":1002:1", "column 'a' has more than 1,000 different texts",
                                      "leave the column out"});
  // Numbers are no categories.
  std::string numbers = "a,species\n?,x\n";
  for (int i = 0; i < 2000; ++i)
    numbers += std::to_string(i) + ",x\n";
  refusesTrain(numbers, {":2:1", "column 'a' has numbers in", "but here '?'"});
}

BOOST_AUTO_TEST_CASE(refuses_more_classes_than_labels_can_say) {
  std::string train = "species,a\n";
  for (int i = 0; i < kMaxClasses; ++i)
    train += std::to_string(i) + ",0\n";
  const auto most = load(train, "species,a\n65535,0\n");
  BOOST_REQUIRE(most);
  BOOST_TEST(most->images.classes == kMaxClasses);
  BOOST_TEST(most->images.test.labels[0] == 65'535);
  refusesTrain(train + "65536,0\n", {":65538:1", "more than 65,536 different values"});
}

BOOST_AUTO_TEST_CASE(has_no_test_samples_without_a_file_of_them) {
  write("train.csv", kTrain);

  const auto table = loadCsv(folder(), "species");

  BOOST_REQUIRE(table);
  BOOST_TEST(table->images.test.count() == 0);
  BOOST_TEST((table->images.test.shape == table->images.train.shape));
}

BOOST_AUTO_TEST_CASE(names_what_is_missing) {
  failed(loadCsv(folder(), "a"), ErrorCode::kNotFound, {path("train.csv"), "test.csv"});
}

BOOST_AUTO_TEST_CASE(encodes_a_row_as_those_of_the_files) {
  const auto table = load(kTrain, kTest);
  BOOST_REQUIRE(table);
  const std::vector<std::string_view> cells{"7", "red, dark"};
  std::vector<float> features(table->columns.features());

  BOOST_TEST(!encodeRow(table->columns, cells, features));
  BOOST_TEST(features == (std::vector<float>{7, 0, 1}), boost::test_tools::per_element());

  const std::vector<std::string_view> unknown{"7", "blue"};
  const auto problem = encodeRow(table->columns, unknown, features);
  BOOST_REQUIRE(problem);
  BOOST_TEST(problem->column == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::csv_table_test
