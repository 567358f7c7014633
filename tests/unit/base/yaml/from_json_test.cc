#include <string>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "base/yaml/reader.h"

// The tree of a JSON value is what parse() gives for its text.

namespace sumac::yaml::from_json_test {
namespace {

using nlohmann::ordered_json;

/// Kinds, texts and order without positions: two trees with the same outline are the same.
std::string outlineOf(const Node& node) {
  std::string outline = std::string(toString(node.kind)) + " " + node.text + "\n";
  for (const Field& field : node.fields)
    outline += field.key + ": " + outlineOf(field.value);
  for (const Node& item : node.items)
    outline += "- " + outlineOf(item);
  return outline;
}

void requireOrdered(const Node& node, Position& last) {
  BOOST_TEST((last < node.position));
  last = node.position;
  for (std::size_t i = 0; i < node.fields.size(); ++i) {
    BOOST_TEST((last < node.field_positions.at(i)));
    last = node.field_positions.at(i);
    requireOrdered(node.fields[i].value, last);
  }
  for (const Node& item : node.items)
    requireOrdered(item, last);
}

std::string nested(int levels) {
  std::string text;
  for (int i = 0; i < levels; ++i)
    text += '[';
  return text + std::string(static_cast<std::size_t>(levels), ']');
}

}  // namespace

BOOST_AUTO_TEST_SUITE(from_json)

BOOST_AUTO_TEST_CASE(gives_the_tree_of_the_text_in_its_order) {
  const std::string text =
      R"({"b": [1, -2, 18446744073709551615, 2.5, 1e+20, true, null, [], {}],
          "a": {"yes": "no", "1": "1", "<<": "~", "": "\u0001\"\\\n\u00e9\u2028 x"}})";
  const ordered_json value = ordered_json::parse(text);

  const Document made = fromJson(value);

  BOOST_TEST_REQUIRE(made.root.has_value(), made.message);
  BOOST_TEST(outlineOf(*made.root) == outlineOf(*parse(value.dump()).root));
}

BOOST_AUTO_TEST_CASE(positions_follow_the_order_of_keys_and_values) {
  const Document made = fromJson(ordered_json::parse(R"({"b": [1, {"c": 2}], "a": {}})"));

  BOOST_TEST_REQUIRE(made.root.has_value());
  Position last;
  requireOrdered(*made.root, last);
  BOOST_TEST((last == Position{1, 9}));
}

BOOST_AUTO_TEST_CASE(has_the_limits_of_the_text) {
  BOOST_TEST(fromJson(ordered_json::parse(nested(kMaxDepth))).root.has_value());
  const Document deep = fromJson(ordered_json::parse(nested(100'000)));
  BOOST_TEST(!deep.root.has_value());
  BOOST_TEST(deep.message == "nested deeper than 32 levels");

  const auto listOf = [](std::size_t items) { return ordered_json(std::vector<int>(items)); };
  BOOST_TEST(fromJson(listOf(kMaxNodes - 1)).root.has_value());
  BOOST_TEST(!fromJson(listOf(kMaxNodes)).root.has_value());
  BOOST_TEST(!fromJson({{std::string(kMaxKeyBytes, 'x'), 1}}).root.has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::yaml::from_json_test
