#include "planner/machines/read.h"

#include <random>

#include <boost/test/unit_test.hpp>

#include "base/core/file.h"
#include "job/document/explain.h"
#include "planner/machines/fields.h"
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

/// Of a type with one figure, `figure` without its end.
std::string problemsOf(const std::string& figure) {
  return problems("    - name: big\n      " + figure + kEvidence);
}

MachineType typeOf(const std::string& types) {
  const auto reading = readMachineTypes(kHead + types, "machines.yaml");
  BOOST_REQUIRE_MESSAGE(reading.types.size() == 1, job::problemList(reading.problems));
  return reading.types.front();
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
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
  BOOST_TEST(has(job::problemList(readMachineTypes(types, "m", "2026-11-21").problems),
                 "spec.types[0].linkRate.date: found 2026-11-22, which lies in the future"));
}

BOOST_AUTO_TEST_CASE(what_nobody_knows_stays_empty) {
  const MachineType type = typeOf("    - name: bare\n      linkRate:\n");
  BOOST_TEST(type.name == "bare");
  BOOST_TEST((!type.cores && !type.memory_bytes && !type.operations_per_second &&
              !type.memory_bytes_per_second && !type.link_bytes_per_second && !type.hop_seconds &&
              !type.price_per_hour));
}

BOOST_AUTO_TEST_CASE(a_price_needs_source_date_and_currency) {
  BOOST_TEST(problems("    - {name: a, price: {perHour: \"0.10\"}}\n") ==
             "machines.yaml:6:24 spec.types[0].price.currency: is required\n"
             "machines.yaml:6:24 spec.types[0].price.source: is required\n"
             "machines.yaml:6:24 spec.types[0].price.date: is required\n");
  const std::string at = "machines.yaml:7:";
  const std::string price = "    - name: a\n      price: {perHour: \"0.1\", ";
  BOOST_TEST(problems(price + "currency: euro, source: s, date: 2026-11-22}\n") ==
             at + "41 spec.types[0].price.currency: found \"euro\", must match ^[A-Z]{3}$\n");
  BOOST_TEST(problems(price + "currency: EUR, source: \" \", date: 2026-02-30}\n") ==
             at + "54 spec.types[0].price.source: is blank; say where the figure is from\n" + at +
                 "65 spec.types[0].price.date: found 2026-02-30, which no calendar has\n");
  BOOST_TEST(problems(price + "currency: EUR, source: s, date: 22.11.2026}\n") ==
             at + "63 spec.types[0].price.date: found \"22.11.2026\", must match "
                  "^20[0-9]{2}-[0-9]{2}-[0-9]{2}$\n");
  BOOST_TEST(problems("    - name: a\n      price: {perHour: 0.1, " + kPriceEvidence) == "");
}

BOOST_AUTO_TEST_CASE(zero_negative_and_absurd_figures_are_refused_where_they_stand) {
  const std::string at = "machines.yaml:7:";
  BOOST_TEST(problemsOf("cores: {value: 0") ==
             at + "22 spec.types[0].cores.value: found 0, must be >= 1\n");
  BOOST_TEST(problemsOf("cores: {value: 1000000") ==
             at + "22 spec.types[0].cores.value: found 1000000, must be <= 4096\n");
  BOOST_TEST(problemsOf("memory: {value: 0Gi") ==
             at + "23 spec.types[0].memory.value: found 0Gi, must be >= 16Mi, <= 64Ti\n");
  BOOST_TEST(problemsOf("linkRate: {value: 900Tbit") ==
             at + "25 spec.types[0].linkRate.value: found 900Tbit, must be >= 1Mbit, <= 100Tbit\n");
  BOOST_TEST(problemsOf("memory: {value: -2Gi") ==
             at + "23 spec.types[0].memory.value: found \"-2Gi\", must match "
                  "^[0-9]{1,20}(\\.[0-9]{1,20})? ?(Ki|Mi|Gi|Ti|KiB|MiB|GiB|TiB|K|k|M|G|T)$\n");
  for (const std::string price : {"0", "-1", "1e9"}) {
    const auto found =
        problems("    - name: a\n      price: {perHour: \"" + price + "\", " + kPriceEvidence);
    BOOST_TEST(has(found, "7:24 spec.types[0].price.perHour: found \"" + price + "\", must be"),
               found);
  }
}

BOOST_AUTO_TEST_CASE(no_number_goes_without_its_unit) {
  BOOST_TEST(has(problemsOf("peak: {value: 289"),
                 "peak.value: found the number 289, must be a "
                 "string"));
  BOOST_TEST(has(problemsOf("linkRate: {value: 10GB/s"), "must match"));
  BOOST_TEST(has(problemsOf("linkLatency: {value: 1e3us"), "must match"));
}

BOOST_AUTO_TEST_CASE(unknown_fields_and_names_twice_are_refused) {
  BOOST_TEST(problemsOf("core: {value: 1") ==
             "machines.yaml:7:7 spec.types[0].core: unknown field; did you mean `cores`?\n");
  BOOST_TEST(problems("    - name: a\n    - name: a\n") ==
             "machines.yaml:7:13 spec.types[1].name: another type is called `a` too\n");
  BOOST_TEST(has(problems("    - name: \"a b\"\n"), "must match"));
  BOOST_TEST(problems("    []\n") == "machines.yaml:6:5 spec.types: needs at least one type\n");
}

BOOST_AUTO_TEST_CASE(other_documents_are_refused) {
  const auto said = [](const std::string& text) {
    return job::problemList(readMachineTypes(text, "m").problems);
  };
  BOOST_TEST(has(said(""), "the document is empty, must be MachineTypes"), said(""));
  BOOST_TEST(has(said("[]"), "must be MachineTypes"));
  BOOST_TEST(has(said("kind: TrainingJob\n"), "kind: found the string \"TrainingJob\""));
  BOOST_TEST(has(said("\xff"), "UTF-8"));
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

BOOST_AUTO_TEST_CASE(no_type_is_called_as_the_machine_at_hand) {
  BOOST_TEST(has(problems("    - name: here\n"), "spec.types[0].name: `here` is what sumac plan"));
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
    BOOST_TEST(has(*type, field), field);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::machines_test
