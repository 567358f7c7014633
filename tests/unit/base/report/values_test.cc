#include "base/report/values.h"

#include <boost/test/unit_test.hpp>

namespace sumac::report::values_test {
namespace {

const Table kTable{.caption = "Best ways",
                   .columns = {{"workers", "Workers"},
                               {"step.seconds", "Time"},
                               {"step.bound", ""},
                               {"", "For people"}},
                   .rows = {{{.value = 8}, {"0.512", 0.5}, {.value = "link"}, {"x"}},
                            {{"many"}, {}, {.value = {1, 2}}, {"y"}}}};

}  // namespace

BOOST_AUTO_TEST_SUITE(values)

BOOST_AUTO_TEST_CASE(a_row_is_an_object_and_a_point_in_a_key_makes_one) {
  BOOST_TEST(toJson(kTable).dump() == R"([{"workers":8,"step":{"seconds":0.5,"bound":"link"}},)"
                                      R"({"workers":"many","step":{"bound":[1,2]}}])");
}

BOOST_AUTO_TEST_CASE(csv_quotes_what_needs_it) {
  BOOST_TEST(toCsv(kTable) ==
             "workers,step.seconds,step.bound\r\n8,0.5,link\r\nmany,,\"[1,2]\"\r\n");
}

BOOST_AUTO_TEST_CASE(a_table_without_rows_is_an_empty_list_and_a_line_of_keys) {
  const Table table{.columns = {{"a", "A"}, {"b", "B"}}};
  BOOST_TEST(toJson(table).dump() == "[]");
  BOOST_TEST(toCsv(table) == "a,b\r\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::report::values_test
