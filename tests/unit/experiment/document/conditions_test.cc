#include "experiment/document/conditions.h"

#include <boost/test/unit_test.hpp>

#include "job/document/explain.h"
#include "tests/support/golden.h"

#include "experiment/document/fields.h"
#include "experiment/document/read.h"

namespace sumac::experiment::conditions_test {
namespace {

Reading read(const std::string& spec) {
  return readExperiment(
      "apiVersion: sumac.dev/v1alpha1\nkind: Experiment\nmetadata: {name: study}\nspec:\n"
      "  jobPath: job.yaml\n" +
          spec,
      "study.yaml", [](const std::string& path) {
        return Result<NamedFile>(NamedFile{path, "kind: TrainingJob\n"});
      });
}

std::string problems(const std::string& spec) {
  return job::problemList(read(spec).problems);
}

Conditions conditionsIn(const std::string& spec) {
  const auto reading = read(spec);
  BOOST_REQUIRE_MESSAGE(reading.experiment.has_value(), job::problemList(reading.problems));
  return reading.experiment->conditions;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(conditions)

BOOST_AUTO_TEST_CASE(without_them_members_are_as_in_a_run) {
  const Conditions none = conditionsIn("");
  BOOST_TEST(!none.link_bits_per_second.has_value());
  BOOST_TEST(!none.is_emulated);
  BOOST_TEST(none.slowdown == 1);
}

BOOST_AUTO_TEST_CASE(rates_have_decimal_units) {
  BOOST_TEST(conditionsIn("  link: {rate: 100Mbit}\n").link_bits_per_second.value() == 100'000'000);
  BOOST_TEST(conditionsIn("  link: {rate: 1Gbit}\n").link_bits_per_second.value() == 1'000'000'000);
  BOOST_TEST(rateText(100'000'000) == "100Mbit");
  BOOST_TEST(rateText(1'000'000'000) == "1Gbit");
  BOOST_TEST(rateText(1'500'000'000) == "1500Mbit");
}

BOOST_AUTO_TEST_CASE(what_cannot_be_is_refused_where_it_stands) {
  const std::string axes = "  axes:\n    - ";
  const std::tuple<const char*, std::string, const char*> kCases[] = {
      {"another unit", "  link: {rate: 100mbps}\n", "6:16 spec.link.rate: "},
      {"no unit", "  link: {rate: 100}\n", "6:16 spec.link.rate: "},
      {"a fast link", "  link: {rate: 10Gbit}\n", "6:16 spec.link.rate: "},
      {"no rate", "  link: {rate: 0Mbit}\n", "6:16 spec.link.rate: "},
      {"nothing", "  link: {}\n", "6:9 spec.link.rate: "},
      {"a delay", "  link: {rate: 1Gbit, delay: 10ms}\n", "6:30 spec.link.delay: "},
      {"no way to compute", "  compute: fake\n", "6:12 spec.compute: "},
      {"a gain", "  compute: emulated\n  slowdown: \"0.5\"\n", "7:13 spec.slowdown: "},
      {"a fast link of an axis", axes + "{field: link.rate, values: [1Gbit, 2Gbit]}\n",
       "7:42 spec.axes[0].values: "},
      {"a word mistyped in an axis", axes + "{field: compute, values: [emulate]}\n",
       "7:33 spec.axes[0].values: "},
      {"a gain in an axis", axes + "{name: a, variants: [{name: b, set: {slowdown: 0.5}}]}\n",
       "7:54 spec.axes[0].variants[0].set.slowdown: "},
      {"two axes of one field",
       axes + "{field: link.rate, values: [1Gbit]}\n    - {name: a, variants: "
              "[{name: b, set: {link.rate: 2Mbit}}]}\n",
       "8:7 spec.axes[1]: "}};
  test::Transcript said;
  for (const auto& [name, spec, place] : kCases) {
    const std::string found = problems(spec);
    BOOST_TEST(found.starts_with("study.yaml:" + std::string(place)), found);
    said.add(name, found);
  }
  said.add("a slowdown of real computing", contradiction({std::nullopt, false, 10}));
  test::checkGolden("experiment/document/conditions.txt", said.text());
  BOOST_TEST(contradiction({std::nullopt, true, 10}) == "");
  BOOST_TEST(contradiction({std::nullopt, false, 1}) == "");
}

BOOST_AUTO_TEST_CASE(computing_is_real_or_emulated) {
  const Conditions emulated = conditionsIn("  compute: emulated\n  slowdown: \"10\"\n");
  BOOST_TEST(emulated.is_emulated);
  BOOST_TEST(emulated.slowdown == 10);
}

BOOST_AUTO_TEST_CASE(an_axis_may_vary_them) {
  const auto reading = read(
      "  axes:\n"
      "    - {field: link.rate, values: [100Mbit, 1Gbit, null]}\n"
      "    - {name: speed, variants: [{name: slow, set: {compute: emulated, slowdown: \"5\"}}]}\n");
  BOOST_REQUIRE_MESSAGE(reading.experiment.has_value(), job::problemList(reading.problems));
  const auto& axes = reading.experiment->axes;
  BOOST_TEST(axes[0].name == "link.rate");
  BOOST_TEST(axes[0].values[2].name == "none");
  BOOST_TEST(axes[1].values[0].settings[1].path == "slowdown");
}

BOOST_AUTO_TEST_CASE(they_explain_themselves) {
  const auto spec = job::explain(experimentField(), "experiment.spec");
  BOOST_REQUIRE(spec.has_value());
  for (const char* const field : {"link", "compute", "slowdown"})
    BOOST_TEST(spec->find(field) != std::string::npos, field);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::experiment::conditions_test
