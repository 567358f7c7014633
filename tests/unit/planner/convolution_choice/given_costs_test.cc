#include "planner/convolution_choice/given_costs.h"

#include <random>

#include <boost/test/unit_test.hpp>

#include "base/core/file.h"
#include "job/model/network.h"
#include "planner/network/from_model.h"
#include "tests/support/golden.h"
#include "tests/support/mangled_text.h"

namespace sumac::planner::given_costs_test {
namespace {

const std::string kHead =
    "apiVersion: sumac.dev/v1alpha1\n"
    "kind: ConvolutionCosts\n"
    "metadata: {name: ours}\n"
    "spec:\n"
    "  source: a library\n"
    "  date: 2026-11-23\n"
    "  workspaceBytes: 100\n"
    "  layers:\n";
const std::string kLayer =
    "    - name: conv1\n"
    "      algorithms:\n"
    "        - {name: fft, seconds: \"0.25\", workspaceBytes: 64}\n";

std::string problems(const std::string& text) {
  return job::problemList(readGivenCosts(text, "c").problems);
}

/// The document with one text in place of another.
std::string with(const std::string& from, const std::string& to) {
  std::string text = kHead + kLayer;
  const std::size_t at = text.find(from);
  BOOST_TEST_REQUIRE(at != std::string::npos, from);
  return text.replace(at, from.size(), to);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(given_costs)

BOOST_AUTO_TEST_CASE(costs_come_with_their_bound_and_their_source) {
  const auto reading = readGivenCosts(kHead + kLayer, "c");

  BOOST_TEST_REQUIRE(reading.costs.has_value(), job::problemList(reading.problems));
  const GivenCosts& costs = *reading.costs;
  BOOST_TEST(costs.bound_bytes == 100);
  BOOST_TEST(costs.source == "a library");
  BOOST_TEST(costs.date == "2026-11-23");
  BOOST_TEST_REQUIRE(costs.convolutions.size() == 1U);
  BOOST_TEST(costs.convolutions[0].layer == "conv1");
  const AlgorithmCost& cost = costs.convolutions[0].algorithms.at(0);
  BOOST_TEST(cost.name == "fft");
  BOOST_TEST(cost.seconds == 0.25);
  BOOST_TEST(cost.workspace_bytes == 64);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_is_refused_with_its_place) {
  const std::tuple<const char*, std::string, const char*> kCases[] = {
      {"time below zero", with("\"0.25\"", "\"-1\""),
       "c:11:32 spec.layers[0].algorithms[0].seconds"},
      {"time that is no number", with("\"0.25\"", "\"nan\""), "c:11:32"},
      {"long time", with("\"0.25\"", "\"1e7\""), "c:11:32"},
      {"bytes below zero", with("64", "-1"), "c:11:"},
      {"more bytes than there are", with("64", "999999999999999999"), "c:11:"},
      {"a blank source", with("a library", "\" \""), "spec.source"},
      {"no source", with("  source: a library\n", ""), "source"},
      {"a date of no calendar", with("2026-11-23", "2026-02-30"), "spec.date"},
      {"no name", with("name: fft", "name: \"<b>\""), "c:11:"},
      {"a word mistyped", with("seconds", "second"), "`seconds`"},
      {"two layers of one name", kHead + kLayer + kLayer, "`conv1`"},
      {"no algorithm", kHead + "    - {name: a, algorithms: []}\n", "c:9:"},
      {"nothing", "", "ConvolutionCosts"}};
  test::Transcript said;
  for (const auto& [name, text, where] : kCases) {
    const std::string found = problems(text);
    BOOST_TEST((found.find(where) != std::string::npos), found << " has no " << where);
    said.add(name, found);
  }
  test::checkGolden("planner/convolution_choice/given_costs.txt", said.text());
}

BOOST_AUTO_TEST_CASE(no_text_brings_the_reader_of_costs_down) {
  constexpr int kTexts = 1'000;
  const std::string whole = kHead + kLayer;
  std::mt19937 random(1);
  for (int i = 0; i < kTexts; ++i) {
    const std::string text = mangled(whole, random);
    const auto reading = readGivenCosts(text, "c");
    BOOST_TEST((reading.costs.has_value() == reading.problems.empty()), text);
  }
}

BOOST_AUTO_TEST_CASE(the_example_has_the_convolutions_and_the_operations_of_its_network) {
  const auto text =
      readTextFile(SUMAC_SOURCE_FOLDER "/examples/planning/convolutions.yaml", 1U << 20U);
  BOOST_TEST_REQUIRE(text.has_value());
  const auto reading = readGivenCosts(*text, "convolutions.yaml");
  BOOST_TEST_REQUIRE(reading.costs.has_value(), job::problemList(reading.problems));
  const auto network = model::resolve(*model::fromZoo("cifar10-quick"), {});

  auto given = reading.costs->convolutions.begin();
  for (const Layer& layer : fromModel(*network, "the zoo").layers) {
    if (layer.kind != LayerKind::kConvolution) continue;
    BOOST_TEST_REQUIRE((given != reading.costs->convolutions.end()));
    BOOST_TEST(given->layer == layer.name);
    const AlgorithmCost& direct = given->algorithms.front();
    BOOST_TEST(direct.name == "direct");
    BOOST_TEST(direct.workspace_bytes == 0);
    const double flops = 2.0 * 64 * static_cast<double>(layer.macs);  // of 64 images
    BOOST_TEST(direct.seconds == flops / 100e9, boost::test_tools::tolerance(1e-3));
    ++given;
  }
  BOOST_TEST((given == reading.costs->convolutions.end()));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::given_costs_test
