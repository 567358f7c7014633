#include "planner/machines/read.h"

#include <random>

#include <boost/test/unit_test.hpp>

#include "base/core/file.h"
#include "job/document/explain.h"
#include "planner/machines/fields.h"
#include "tests/support/golden.h"
#include "tests/support/mangled_text.h"

namespace sumac::planner::machines_test {
namespace {

const std::string kHead =
    "apiVersion: sumac.dev/v1alpha1\n"
    "kind: MachineTypes\n"
    "metadata: {name: ours}\n"
    "spec:\n"
    "  types:\n";
const std::string kEvidence = ", kind: published, source: \"a price list\", date: 2026-11-22}\n";
const std::string kPriceEvidence = "currency: EUR, source: \"a price list\", date: 2026-11-22}\n";

std::string problems(const std::string& types) {
  return job::problemList(readMachineTypes(kHead + types, "machines.yaml").problems);
}

MachineType typeOf(const std::string& types) {
  const auto reading = readMachineTypes(kHead + types, "machines.yaml");
  BOOST_REQUIRE_MESSAGE(reading.types.size() == 1, job::problemList(reading.problems));
  return reading.types.front();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(machines)

BOOST_AUTO_TEST_CASE(every_figure_comes_in_base_units_with_its_evidence) {
  const MachineType type = typeOf(
      "    - name: n2-standard-4\n"
      "      cores: {value: 4" +
      kEvidence + "      memory: {value: 16Gi" + kEvidence +
      "      peak: {value: 1.5TFLOP/s, kind: measured, source: sumac-bench, date: 2026-11-23}\n"
      "      memoryBandwidth: {value: 25GB/s" +
      kEvidence + "      linkRate: {value: 10Gbit" + kEvidence + "      linkLatency: {value: 50us" +
      kEvidence + "      price: {perHour: \"0.25\", " + kPriceEvidence);
  const auto published = [](double value) {
    return Figure{value, FigureOrigin::kPublished, "a price list", "2026-11-22"};
  };
  BOOST_TEST(type.name == "n2-standard-4");
  BOOST_TEST((type.cores == published(4)));
  BOOST_TEST((type.memory_bytes == published(17'179'869'184.0)));
  BOOST_TEST((type.operations_per_second ==
              Figure{1.5e12, FigureOrigin::kMeasured, "sumac-bench", "2026-11-23"}));
  BOOST_TEST((type.memory_bytes_per_second == published(25e9)));
  BOOST_TEST((type.link_bytes_per_second == published(1.25e9)));
  BOOST_TEST(type.hop_seconds.value().value == 50e-6, boost::test_tools::tolerance(1e-12));
  BOOST_TEST((type.price_per_hour == published(0.25)));
  BOOST_TEST(type.currency == "EUR");
}

BOOST_AUTO_TEST_CASE(no_figure_is_of_the_future) {
  const std::string types = kHead + "    - name: a\n      linkRate: {value: 10Gbit" + kEvidence;
  BOOST_TEST(readMachineTypes(types, "m", "2026-11-22").problems.empty());
  const auto future = readMachineTypes(types, "m", "2026-11-21").problems;
  BOOST_TEST_REQUIRE(future.size() == 1U);
  BOOST_TEST(future.front().path == "spec.types[0].linkRate.date");
}

BOOST_AUTO_TEST_CASE(what_nobody_knows_stays_empty) {
  const MachineType type = typeOf("    - name: bare\n      linkRate:\n");
  BOOST_TEST(type.name == "bare");
  BOOST_TEST((!type.cores && !type.memory_bytes && !type.operations_per_second &&
              !type.memory_bytes_per_second && !type.link_bytes_per_second && !type.hop_seconds &&
              !type.price_per_hour));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_is_refused_where_it_stands) {
  const std::string price = "    - name: a\n      price: {perHour: ";
  const auto figure = [](const std::string& text) {
    return "    - name: big\n      " + text + kEvidence;
  };
  const std::tuple<const char*, std::string, const char*> kCases[] = {
      {"a price alone", "    - {name: a, price: {perHour: \"0.10\"}}\n", ":6:24 "},
      {"a currency of four letters",
       price + "\"0.1\", currency: euro, source: s, date: 2026-11-22}\n", ":7:41 "},
      {"a blank source, a date of no calendar",
       price + "\"0.1\", currency: EUR, source: \" \", date: 2026-02-30}\n", ":7:54 "},
      {"a date of another form", price + "\"0.1\", currency: EUR, source: s, date: 22.11.2026}\n",
       ":7:63 "},
      {"no price", price + "\"0\", " + kPriceEvidence, ":7:24 "},
      {"a price below zero", price + "\"-1\", " + kPriceEvidence, ":7:24 "},
      {"a high price", price + "\"1e9\", " + kPriceEvidence, ":7:24 "},
      {"no core", figure("cores: {value: 0"), ":7:22 "},
      {"a million cores", figure("cores: {value: 1000000"), ":7:22 "},
      {"no memory", figure("memory: {value: 0Gi"), ":7:23 "},
      {"a fast link", figure("linkRate: {value: 900Tbit"), ":7:25 "},
      {"memory below zero", figure("memory: {value: -2Gi"), ":7:23 "},
      {"a peak without a unit", figure("peak: {value: 289"), ":7:"},
      {"a link in bytes", figure("linkRate: {value: 10GB/s"), ":7:25 "},
      {"an exponent", figure("linkLatency: {value: 1e3us"), ":7:"},
      {"a word mistyped", figure("core: {value: 1"), ":7:7 "},
      {"two types of one name", "    - name: a\n    - name: a\n", ":7:13 "},
      {"a name of two words", "    - name: \"a b\"\n", ":6:"},
      {"the name here", "    - name: here\n", ":6:"},
      {"no type", "    []\n", ":6:5 "}};
  test::Transcript said;
  for (const auto& [name, types, where] : kCases) {
    const std::string found = problems(types);
    BOOST_TEST(found.starts_with("machines.yaml" + std::string(where)), found);
    said.add(name, found);
  }
  for (const char* const text : {"", "[]", "kind: TrainingJob\n", "\xff"}) {
    const std::string found = job::problemList(readMachineTypes(text, "m").problems);
    BOOST_TEST(!found.empty());
    said.add("another document", found);
  }
  test::checkGolden("planner/machines/read.txt", said.text());
  BOOST_TEST(problems(price + "0.1, " + kPriceEvidence) == "");
}

BOOST_AUTO_TEST_CASE(no_text_brings_the_reader_down) {
  constexpr int kTexts = 1'000;
  const std::string whole = kHead + "    - name: a\n      memory: {value: 16Gi" + kEvidence +
                            "      price: {perHour: \"1\", " + kPriceEvidence;
  BOOST_REQUIRE(readMachineTypes(whole, "m").types.size() == 1);
  std::mt19937 random(1);
  for (int i = 0; i < kTexts; ++i) {
    const std::string text = mangled(whole, random);
    const auto reading = readMachineTypes(text, "m");
    BOOST_TEST((reading.types.empty() != reading.problems.empty()), text);
  }
}

BOOST_AUTO_TEST_CASE(the_example_is_read_and_invents_no_price) {
  const auto text = readTextFile(SUMAC_SOURCE_FOLDER "/examples/planning/machines.yaml", 1U << 20U);
  BOOST_REQUIRE(text.has_value());
  const auto reading = readMachineTypes(*text, "examples/planning/machines.yaml");
  BOOST_TEST(job::problemList(reading.problems) == "");
  for (const MachineType& type : reading.types)
    BOOST_TEST(!type.price_per_hour.has_value(), type.name);
}

BOOST_AUTO_TEST_CASE(types_are_found_by_name) {
  const auto reading = readMachineTypes(kHead + "    - name: a\n    - name: b\n", "m");
  BOOST_REQUIRE(reading.types.size() == 2);
  BOOST_TEST(findMachineType(reading.types, "b") == &reading.types[1]);
  BOOST_TEST(findMachineType(reading.types, "c") == nullptr);
  BOOST_TEST(machineTypeNames(reading.types) == "a, b");
}

BOOST_AUTO_TEST_CASE(the_document_explains_itself) {
  const auto type = job::explain(machineTypesField(), "machinetypes.spec.types");
  BOOST_REQUIRE(type.has_value());
  for (const char* const field :
       {"cores", "memory", "peak", "memoryBandwidth", "linkRate", "linkLatency", "price"})
    BOOST_TEST(type->find(field) != std::string::npos, field);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::machines_test
