#include "engine/data/csv_samples.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/refusals.h"
#include "tests/unit/engine/data/files.h"

namespace sumac::worker::csv_samples_test {
namespace {

const CsvColumns kColumns{"kind", {{"a"}, {"b", CsvKind::kCategorical, {"x", "y"}}}};

struct Fixture : FilesFixture {
  Result<Samples> load(std::string_view text) const {
    write("rows.csv", text);
    return loadCsvSamples(folder() / "rows.csv", kColumns);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(csv_samples, Fixture)

BOOST_AUTO_TEST_CASE(reads_columns_by_name_with_and_without_the_label) {
  for (const auto* const text : {"a,b\n1.5,y\n2,x\n", "id,b,kind,a\n7,y,?,1.5\n8,x,,2\n"}) {
    const auto samples = load(text);
    BOOST_REQUIRE_MESSAGE(samples, (samples ? "" : samples.error().message));
    BOOST_TEST(samples->values == (std::vector<float>{1.5, 0, 1, 2, 1, 0}),
               boost::test_tools::per_element());
    BOOST_TEST(samples->count() == 2);
    BOOST_TEST((samples->shape == model::Shape{3}));
  }
}

BOOST_AUTO_TEST_CASE(says_what_is_wrong_and_where) {
  test::Refusals refusals(folder());
  refusals.add("a column that is missing", load("b\nx\n"), "rows.csv:1:1");
  refusals.add("another category", load("a,b\n1,z\n"), "rows.csv:2:3");
  refusals.add("no number", load("a,b\n?,x\n"), "rows.csv:2:1");
  refusals.add("a cell that is missing", load("a,b\n1\n"), "rows.csv:2:2");
  refusals.add("a header alone", load("a,b\n"), "rows.csv");
  refusals.add("nothing", load(""), "rows.csv");
  refusals.compareWith("engine/data/csv_samples.txt");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::csv_samples_test
