#include "engine/data/csv_table.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/refusals.h"
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

struct Refused {
  const char* name;
  std::string text;
  const char* place;
};

const Refused kBadTrain[] = {
    {"nothing", "", ":1:1"},
    {"two columns of one name", "a,a,species\n", ":1:3"},
    {"a column without a name", ",a,species\n", ":1:1"},
    {"no column of the classes", "a,spezies\n1,x\n", ":1:1"},
    {"30 other columns",
     "c0,c1,c2,c3,c4,c5,c6,c7,c8,c9,c10,c11,c12,c13,c14,c15,c16,c17,c18,c19,c20,c21,c22,c23,c24,"
     "c25,c26,c27,c28,c29",
     ":1:1"},
    {"semicolons", "a;species\n", ":1:1"},
    {"tabs", "a\tspecies\n", ":1:1"},
    {"no other column", "species\nx\n", ":1:1"},
    {"a name with a line end", "a,\"b\nc\",species\n", ":1:3"},
    {"a name that is not UTF-8", "a,b\xE4,species\n", ":1:3"},
    {"a long name", "a," + std::string(1025, 'n') + ",species\n", ":1:3"},
    {"a header alone", "a,species\n", ":2:1"},
    {"a short line", "a,species\n1,x\n2\n", ":3:2"},
    {"a long line", "a,species\n1,x\n2,3,y\n", ":3:5"},
    {"no value", "a,species\n1,x\n,y\n", ":3:1"},
    {"no value in quotes", "a,species\nred,x\n\"\",y\n", ":3:1"},
    {"no class", "a,species\n1,x\n2,\n", ":3:3"},
    {"a text first", "a,species\n?,x\n1,y\n", ":2:1"},
    {"one class", "a,species\n1,x\n2,x\n", ":1:3"},
};

const Refused kBadTest[] = {
    {"no number", "species,color,length\ncat,gray,\n", ":2:10"},
    {"no category", "species,color,length\ncat,,7\n", ":2:5"},
    {"no class", "species,color,length\n,gray,7\n", ":2:1"},
    {"a text for a number", "species,color,length\ncat,gray,7\nwolf,gray,long\n", ":3:11"},
    {"another category", "species,color,length\ncat,blue,7\n", ":2:5"},
    {"another class", "species,color,length\ndog,gray,7\n", ":2:1"},
    {"another column", "species,color,length,age\ncat,gray,7,1\n", ":1:22"},
    {"a column that is missing", "species,length\ncat,7\n", ":1:1"},
    {"classes that are missing", "color,length\ngray,7\n", ":1:1"},
    {"a header alone", "species,color,length\n", ":2:1"},
};

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

BOOST_AUTO_TEST_CASE(says_what_is_wrong_and_where) {
  test::Refusals refusals(folder());
  for (const auto& [name, text, place] : kBadTrain)
    refusals.add(name, load(text, kTest), "train.csv" + std::string(place));
  for (const auto& [name, text, place] : kBadTest)
    refusals.add("to test with: " + std::string(name), load(kTrain, text),
                 "test.csv" + std::string(place));
  for (const std::string text : {"?", "nan", "inf", "1e39", "1 000", "0x1", "+-1", "-", "1e"})
    refusals.add("among numbers: " + text, load("a,species\n1,x\n" + text + ",y\n2,x\n", kTest),
                 "train.csv:3:1");
  refusals.compareWith("engine/data/csv_table.txt");
}

BOOST_AUTO_TEST_CASE(bounds_categories_and_classes) {
  test::Refusals refusals(folder());
  std::string many = "a,species\n";
  for (std::size_t i = 0; i < kMaxCategories; ++i)
    many += "n" + std::to_string(i) + "," + (i % 2 == 0 ? "x" : "y") + "\n";
  BOOST_TEST(load(many, "a,species\nn7,x\n").has_value());
  refusals.add("categories", load(many + "another,x\n", kTest), ":1002:1");
  // Numbers are no categories.
  std::string numbers = "a,species\n?,x\n";
  for (int i = 0; i < 2000; ++i)
    numbers += std::to_string(i) + ",x\n";
  refusals.add("numbers and a text", load(numbers, kTest), ":2:1");

  std::string train = "species,a\n";
  for (int i = 0; i < kMaxClasses; ++i)
    train += std::to_string(i) + ",0\n";
  const auto most = load(train, "species,a\n65535,0\n");
  BOOST_REQUIRE(most);
  BOOST_TEST(most->images.classes == kMaxClasses);
  BOOST_TEST(most->images.test.labels[0] == 65'535);
  refusals.add("classes", load(train + "65536,0\n", kTest), ":65538:1");
  refusals.compareWith("engine/data/csv_table_bounds.txt");
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
