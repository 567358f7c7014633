#include "job/model/parse.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"

namespace sumac::model::parse_test {
namespace {

using yaml::Kind;
using yaml::Node;

Node scalar(Kind kind, std::string text, int line) {
  Node node;
  node.kind = kind;
  node.text = std::move(text);
  node.position = {line, 20};
  return node;
}

Node text(std::string content, int line = 1) {
  return scalar(Kind::kString, std::move(content), line);
}

Node integer(std::string digits, int line = 1) {
  return scalar(Kind::kInteger, std::move(digits), line);
}

/// A map at line:3 whose n-th key stands in the n-th line from there.
Node map(int line, std::vector<yaml::Field> fields) {
  Node node;
  node.kind = Kind::kMap;
  node.position = {line, 3};
  for (auto& field : fields) {
    node.field_positions.push_back({line, 3});
    field.value.position = {line, 20};
    ++line;
    node.fields.push_back(std::move(field));
  }
  return node;
}

Node list(std::vector<Node> items) {
  Node node;
  node.kind = Kind::kList;
  node.position = {9, 3};
  node.items = std::move(items);
  return node;
}

bool isTaken(const Node& layers) {
  return parseLayers(layers, {1, 28, 28}).has_value();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(parse)

BOOST_AUTO_TEST_CASE(reads_every_type_with_its_keys) {
  const Node layers = list(
      {map(10, {{"type", text("conv2d")},
                {"outputs", integer("6")},
                {"kernel", integer("5")},
                {"stride", integer("2")},
                {"padding", integer("1")}}),
       map(20, {{"type", text("relu")}, {"name", text("act")}}),
       map(30, {{"type", text("maxPool")}, {"kernel", integer("2")}, {"stride", integer("1")}}),
       map(40, {{"type", text("flatten")}}),
       map(50, {{"type", text("dense")}, {"outputs", integer("10")}}),
       map(60, {{"type", text("softmaxCrossEntropy")}})});

  const auto spec = parseLayers(layers, {1, 28, 28});

  BOOST_REQUIRE(spec);
  const auto& conv = std::get<Conv2d>(spec->layers.at(0).kind);
  BOOST_TEST(conv.outputs == 6);
  BOOST_TEST(conv.kernel == 5);
  BOOST_TEST(conv.stride == 2);
  BOOST_TEST(conv.padding == 1);
  BOOST_TEST(spec->layers[0].name == "conv1");
  BOOST_TEST(spec->layers[0].position.line == 10);
  BOOST_TEST(spec->layers[1].name == "act");
  BOOST_TEST(std::get<MaxPool>(spec->layers[2].kind).stride == 1);
  BOOST_TEST(std::holds_alternative<Flatten>(spec->layers[3].kind));
  BOOST_TEST(std::get<Dense>(spec->layers[4].kind).outputs == 10);
  BOOST_TEST(std::holds_alternative<SoftmaxCrossEntropy>(spec->layers[5].kind));
  BOOST_TEST(resolve(*spec).has_value());
}

BOOST_AUTO_TEST_CASE(fills_in_what_may_be_left_out) {
  const Node layers =
      list({map(1, {{"type", text("conv2d")}, {"outputs", integer("6")}, {"kernel", integer("5")}}),
            map(5, {{"type", text("maxPool")}, {"kernel", integer("2")}})});

  const auto spec = parseLayers(layers, {1, 28, 28});

  BOOST_REQUIRE(spec);
  BOOST_TEST(std::get<Conv2d>(spec->layers[0].kind).stride == 1);
  BOOST_TEST(std::get<Conv2d>(spec->layers[0].kind).padding == 0);
  BOOST_TEST(std::get<MaxPool>(spec->layers[1].kind).stride == 0);
}

BOOST_AUTO_TEST_CASE(takes_the_ends_of_a_range_names_and_decimals) {
  for (const char* const outputs : {"1", "1000000"})
    BOOST_TEST(isTaken(list({map(12, {{"type", text("dense")}, {"outputs", integer(outputs)}})})));
  for (const std::string& name : {std::string("a-1_B"), std::string(63, 'a')})
    BOOST_TEST(isTaken(list({map(12, {{"type", text("relu")}, {"name", text(name)}})})));
  BOOST_TEST(isTaken(list({map(12, {{"type", text("dropout")}, {"rate", text("0.5")}})})));
}

BOOST_AUTO_TEST_CASE(refuses_what_is_no_layer_by_place_and_path) {
  const Node inner = list({map(20, {{"type", text("relu")}, {"name", text("r")}})});
  const auto layer = [](const char* type, std::vector<yaml::Field> fields = {}) {
    fields.insert(fields.begin(), {"type", text(type)});
    return list({map(12, std::move(fields))});
  };
  const auto dense = [&](Node outputs) {
    return layer("dense", {{"outputs", std::move(outputs)}});
  };
  const auto relu = [&](Node name) { return layer("relu", {{"name", std::move(name)}}); };
  const auto dropout = [&](Node rate) { return layer("dropout", {{"rate", std::move(rate)}}); };
  const Node residual = map(10, {{"type", text("residual")}, {"layers", inner}});
  std::vector<std::pair<const char*, Node>> cases = {
      {"12:20: layers[0].type", layer("conv")},
      {"12:3: layers[0]", list({map(12, {{"outputs", integer("3")}})})},
      {"13:3: layers[0]", layer("dense", {{"units", integer("3")}})},
      {"12:3: layers[0].outputs", layer("embedding")},
      {"13:20: layers[0].outputs", dense(text("10"))},
      {"13:20: layers[0].outputs", dense(scalar(Kind::kDecimal, "1.5", 1))},
      {"13:20: layers[0].outputs", dense(list({}))},
      {"13:20: layers[0].name", relu(integer("5"))},
      {"13:20: layers[0].rate", dropout(scalar(Kind::kDecimal, "0.5", 1))},
      {"13:20: layers[0].bias", layer("dense", {{"bias", integer("1")}})},
      {"10:3: layers[0].layers[0]", layer("residual", {{"layers", list({residual})}})},
      {"12:3: layers[0].layers", layer("residual")},
      {"14:20: layers[0].shortcut",
       layer("residual", {{"layers", inner}, {"shortcut", text("x")}})},
      {"9:3: layers", list({})},
      {"4:20: layers", text("lenet5", 4)},
      {"0:0: layers", Node{}},
      {"5:20: layers[0]", list({text("relu", 5)})}};
  for (const char* const bad : {"0", "1000001", "-1", "99999999999999999999", "0x10"})
    cases.emplace_back("13:20: layers[0].outputs", dense(integer(bad)));
  for (const std::string& bad : {std::string("1a"), std::string(), std::string("a b"),
                                 std::string("a\nb"), std::string(64, 'a')})
    cases.emplace_back("13:20: layers[0].name", relu(text(bad)));
  for (const char* const bad : {"", "half", "0.5x", "inf", "nan", "1e999"})
    cases.emplace_back("13:20: layers[0].rate", dropout(text(bad)));

  test::Transcript said;
  for (const auto& [place, layers] : cases) {
    const auto spec = parseLayers(layers, {1, 28, 28});
    BOOST_TEST_REQUIRE(!spec.has_value(), place);
    BOOST_TEST(spec.error().message.starts_with(place + std::string(": ")), spec.error().message);
    said.add(place, spec.error().message);
  }
  test::checkGolden("job/model/parse.txt", said.text());
}

BOOST_AUTO_TEST_CASE(reads_switches_and_decimals) {
  const Node layers = list(
      {map(1, {{"type", text("conv2d")},
               {"outputs", integer("4")},
               {"kernel", integer("3")},
               {"groups", integer("2")},
               {"bias", scalar(Kind::kBoolean, "false", 1)}}),
       map(10, {{"type", text("averagePool")},
                {"kernel", integer("3")},
                {"stride", integer("2")},
                {"padding", integer("1")},
                {"ceil", scalar(Kind::kBoolean, "true", 1)}}),
       map(20, {{"type", text("batchNorm")}, {"epsilon", text("1e-4")}, {"momentum", text("0.2")}}),
       map(30, {{"type", text("dropout")}, {"rate", text("0.25")}}),
       map(40, {{"type", text("lstm")}, {"outputs", integer("8")}, {"depth", integer("2")}}),
       map(50, {{"type", text("embedding")}, {"outputs", integer("7")}}),
       map(60, {{"type", text("dense")}})});

  const auto spec = parseLayers(layers, {4, 8, 8});

  BOOST_REQUIRE(spec);
  const auto& conv = std::get<Conv2d>(spec->layers[0].kind);
  BOOST_TEST(conv.groups == 2);
  BOOST_TEST(!conv.bias);
  const auto& pool = std::get<AveragePool>(spec->layers[1].kind);
  BOOST_TEST(pool.padding == 1);
  BOOST_TEST(pool.ceil);
  const auto& norm = std::get<BatchNorm>(spec->layers[2].kind);
  BOOST_TEST(norm.epsilon == 1e-4);
  BOOST_TEST(norm.momentum == 0.2);
  BOOST_TEST(std::get<Dropout>(spec->layers[3].kind).rate == 0.25);
  BOOST_TEST(std::get<Lstm>(spec->layers[4].kind).outputs == 8);
  BOOST_TEST(std::get<Lstm>(spec->layers[4].kind).layers == 2);
  BOOST_TEST(std::get<Embedding>(spec->layers[5].kind).outputs == 7);
  BOOST_TEST(std::get<Dense>(spec->layers[6].kind).outputs == 0);
}

BOOST_AUTO_TEST_CASE(fills_in_what_the_new_types_may_leave_out) {
  for (const char* name : {"globalAveragePool", "tanh", "sigmoid", "dropout", "batchNorm"}) {
    BOOST_TEST(isTaken(list({map(1, {{"type", text(name)}})})), name);
  }
  const auto spec = parseLayers(
      list({map(1, {{"type", text("dropout")}}), map(2, {{"type", text("batchNorm")}})}), {4});
  BOOST_REQUIRE(spec);
  BOOST_TEST(std::get<Dropout>(spec->layers[0].kind).rate == 0.5);
  BOOST_TEST(std::get<BatchNorm>(spec->layers[1].kind).epsilon == 1e-5);
}

BOOST_AUTO_TEST_CASE(reads_a_residual_one_level_deep) {
  const Node inner = list({map(20, {{"type", text("relu")}, {"name", text("r")}})});
  const Node residual =
      map(10, {{"type", text("residual")}, {"layers", inner}, {"shortcut", inner}});

  const auto spec = parseLayers(list({residual}), {4});

  BOOST_REQUIRE(spec);
  BOOST_TEST(spec->layers[0].name == "residual1");
  const auto& kind = std::get<Residual>(spec->layers[0].kind);
  BOOST_TEST(kind.layers.size() == 1U);
  BOOST_TEST(kind.layers[0].name == "r");
  BOOST_TEST(kind.shortcut.size() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::model::parse_test
