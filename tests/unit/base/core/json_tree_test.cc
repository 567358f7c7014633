#include "base/core/json_tree.h"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

namespace sumac::json_tree_test {

using nlohmann::ordered_json;

BOOST_AUTO_TEST_SUITE(json_tree)

BOOST_AUTO_TEST_CASE(copies_share_what_was_parsed) {
  const JsonTree tree(ordered_json::parse(R"({"b": 1, "a": [2]})"));
  JsonTree copy;
  copy = tree;

  BOOST_TEST(&*copy == &*tree);
  BOOST_TEST(copy.text() == "{\n  \"b\": 1,\n  \"a\": [\n    2\n  ]\n}");
}

BOOST_AUTO_TEST_CASE(trees_are_the_same_that_hold_the_same) {
  const auto parsed = [](const char* text) { return JsonTree(ordered_json::parse(text)); };

  BOOST_TEST((parsed("[1, 2]") == parsed("[1,2]")));
  BOOST_TEST((parsed("[1, 2]") != parsed("[2, 1]")));
  BOOST_TEST((JsonTree() == parsed("{}")));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::json_tree_test
