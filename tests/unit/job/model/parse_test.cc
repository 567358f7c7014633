#include "job/model/parse.h"

#include <boost/test/unit_test.hpp>

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
             "12:20: layers[0].type: found 'conv', must be one of conv2d, maxPool, "
             "averagePool, globalAveragePool, relu, tanh, sigmoid, flatten, dense, dropout, "
             "batchNorm, residual, embedding, lstm, softmaxCrossEntropy");
}

BOOST_AUTO_TEST_CASE(wants_a_type) {
  BOOST_TEST(messageOf(list({map(12, {{"outputs", integer("3")}})})) ==
             "12:3: layers[0]: type is missing");
}

BOOST_AUTO_TEST_CASE(shows_an_unknown_key_with_those_the_type_has) {
  const Node layers = list({map(12, {{"type", text("dense")}, {"units", integer("3")}})});

  BOOST_TEST(messageOf(layers) ==
             "13:3: layers[0]: unknown key 'units', a layer of type dense has type, name, outputs, "
             "bias");
}

BOOST_AUTO_TEST_CASE(shows_a_missing_key_with_its_range) {
  BOOST_TEST(messageOf(list({map(12, {{"type", text("embedding")}})})) ==
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
    BOOST_TEST(messageOf(list({map(1, {{"type", text(name)}})})) == "no failure");
  }
  const auto spec = parseLayers(
      list({map(1, {{"type", text("dropout")}}), map(2, {{"type", text("batchNorm")}})}), {4});
  BOOST_REQUIRE(spec);
  BOOST_TEST(std::get<Dropout>(spec->layers[0].kind).rate == 0.5);
  BOOST_TEST(std::get<BatchNorm>(spec->layers[1].kind).epsilon == 1e-5);
}

BOOST_AUTO_TEST_CASE(wants_decimals_as_strings_and_switches_as_booleans) {
  const auto rate = [](const Node& value) {
    return messageOf(list({map(12, {{"type", text("dropout")}, {"rate", value}})}));
  };

  BOOST_TEST(rate(text("0.5")) == "no failure");
  BOOST_TEST(rate(scalar(Kind::kDecimal, "0.5", 1)) ==
             "13:20: layers[0].rate: found '0.5', must be a decimal number as a string, such as "
             "\"0.5\"");
  for (const char* bad : {"", "half", "0.5x", "inf", "nan", "1e999"}) {
    BOOST_TEST(rate(text(bad)).starts_with("13:20: layers[0].rate: found"));
  }
  BOOST_TEST(messageOf(list({map(12, {{"type", text("dense")}, {"bias", integer("1")}})})) ==
             "13:20: layers[0].bias: found '1', must be true or false");
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
  BOOST_TEST(
      messageOf(list({map(1, {{"type", text("residual")}, {"layers", list({residual})}})})) ==
      "10:3: layers[0].layers[0]: a residual must not contain another residual");
  BOOST_TEST(messageOf(list({map(1, {{"type", text("residual")}})})) ==
             "1:3: layers[0].layers: missing, must be a list of layers");
  BOOST_TEST(messageOf(list({map(
                 1, {{"type", text("residual")}, {"layers", inner}, {"shortcut", text("x")}})})) ==
             "3:20: layers[0].shortcut: found 'x', must be a list of layers");
}

BOOST_AUTO_TEST_CASE(wants_a_list_of_maps) {
  BOOST_TEST(messageOf(list({})).starts_with("9:3: layers: found none, must be a list"));
  BOOST_TEST(messageOf(text("lenet5", 4)).starts_with("4:20: layers: found 'lenet5'"));
  BOOST_TEST(messageOf(Node{}).starts_with("0:0: layers: found nothing"));
  BOOST_TEST(messageOf(list({text("relu", 5)})).starts_with("5:20: layers[0]: found 'relu'"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::model::parse_test
