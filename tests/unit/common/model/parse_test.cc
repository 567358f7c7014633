#include "common/model/parse.h"

#include <boost/test/unit_test.hpp>

namespace sumac::model {
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

std::string messageOf(const Node& layers) {
  const auto spec = parseLayers(layers, {1, 28, 28});
  return spec ? "no failure" : spec.error().message;
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

BOOST_AUTO_TEST_CASE(shows_an_unknown_type_with_those_there_are) {
  BOOST_TEST(messageOf(list({map(12, {{"type", text("conv")}})})) ==
             "12:20: layers[0].type: found 'conv', must be one of conv2d, maxPool, relu, flatten, "
             "dense, softmaxCrossEntropy");
}

BOOST_AUTO_TEST_CASE(wants_a_type) {
  BOOST_TEST(messageOf(list({map(12, {{"outputs", integer("3")}})})) ==
             "12:3: layers[0]: type is missing");
}

BOOST_AUTO_TEST_CASE(shows_an_unknown_key_with_those_the_type_has) {
  const Node layers = list({map(12, {{"type", text("dense")}, {"units", integer("3")}})});

  BOOST_TEST(messageOf(layers) ==
             "13:3: layers[0]: unknown key 'units', a layer of type dense has type, name, outputs");
}

BOOST_AUTO_TEST_CASE(shows_a_missing_key_with_its_range) {
  BOOST_TEST(messageOf(list({map(12, {{"type", text("dense")}})})) ==
             "12:3: layers[0].outputs: missing, must be an integer from 1 to 1000000");
}

BOOST_AUTO_TEST_CASE(takes_the_ends_of_a_range_and_nothing_beyond) {
  const auto message = [](const Node& outputs) {
    return messageOf(list({map(12, {{"type", text("dense")}, {"outputs", outputs}})}));
  };

  BOOST_TEST(message(integer("1")) == "no failure");
  BOOST_TEST(message(integer("1000000")) == "no failure");
  BOOST_TEST(message(integer("0")) ==
             "13:20: layers[0].outputs: found '0', must be an integer from 1 to 1000000");
  for (const char* bad : {"1000001", "-1", "99999999999999999999", "0x10"}) {
    BOOST_TEST(message(integer(bad)).starts_with("13:20: layers[0].outputs: found"));
  }
  BOOST_TEST(message(text("10")).starts_with("13:20: layers[0].outputs: found '10'"));
  BOOST_TEST(message(scalar(Kind::kDecimal, "1.5", 1)).starts_with("13:20:"));
  BOOST_TEST(message(list({})).starts_with("13:20: layers[0].outputs: found a list"));
}

BOOST_AUTO_TEST_CASE(refuses_a_name_that_is_none) {
  const auto message = [](const Node& name) {
    return messageOf(list({map(12, {{"type", text("relu")}, {"name", name}})}));
  };

  BOOST_TEST(message(text("a-1_B")) == "no failure");
  BOOST_TEST(message(text(std::string(63, 'a'))) == "no failure");
  for (const std::string& bad : {std::string("1a"), std::string(), std::string("a b"),
                                 std::string("a\nb"), std::string(64, 'a')}) {
    BOOST_TEST(message(text(bad)).starts_with("13:20: layers[0].name: found"));
  }
  BOOST_TEST(message(integer("5")).starts_with("13:20: layers[0].name: found"));
}

BOOST_AUTO_TEST_CASE(wants_a_list_of_maps) {
  BOOST_TEST(messageOf(list({})).starts_with("9:3: layers: found none, must be a list"));
  BOOST_TEST(messageOf(text("lenet5", 4)).starts_with("4:20: layers: found 'lenet5'"));
  BOOST_TEST(messageOf(Node{}).starts_with("0:0: layers: found nothing"));
  BOOST_TEST(messageOf(list({text("relu", 5)})).starts_with("5:20: layers[0]: found 'relu'"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::model
