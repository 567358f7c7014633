#include "cli/run/report.h"

#include <boost/test/unit_test.hpp>

#include "common/base/file.h"
#include "tests/support/temporary_folder.h"

namespace sumac::cli {

BOOST_AUTO_TEST_SUITE(report)

BOOST_AUTO_TEST_CASE(prints_the_result_and_keeps_it_as_json) {
  const auto report = makeReport(
      "lenet", R"({"event":"result","state":"done","workers":2,"steps":9,"testAccuracy":0.5})");

  BOOST_REQUIRE(report);
  BOOST_TEST(report->json.find("event") == std::string::npos);
  BOOST_TEST(report->json.find("\"steps\": 9") != std::string::npos);
  BOOST_TEST(report->table.find("lenet   done    2         -         9 ") != std::string::npos,
             report->table);
  BOOST_TEST(report->table.find("50.00%\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(prints_the_perplexities_of_text) {
  const auto report =
      makeReport("ptb", R"({"state":"done","validPerplexity":223.512,"trainLoss":5})");

  BOOST_REQUIRE(report);
  BOOST_TEST(report->table.find("VALID-PERPLEXITY   TEST-PERPLEXITY\n") != std::string::npos);
  BOOST_TEST(report->table.find("223.51             -\n") != std::string::npos, report->table);
  BOOST_TEST(report->table.find("ACCURACY") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(survives_hostile_results) {
  BOOST_TEST(!makeReport("x", "[]").has_value());
  BOOST_TEST(!makeReport("x", "{").has_value());
  const auto report = makeReport("x", R"({"state":"\u001b[2J","steps":{"a":1},"seconds":"x"})");
  BOOST_REQUIRE(report);
  BOOST_TEST(report->table.find('\x1b') == std::string::npos);
}

BOOST_AUTO_TEST_CASE(takes_the_later_of_two_runs_of_a_step) {
  const TemporaryFolder folder;
  BOOST_REQUIRE(createFile(
      folder / "m", asBytes("{\"event\":\"progress\",\"step\":1,\"loss\":9}\nboo\n"
                            "{\"event\":\"progress\",\"step\":1,\"loss\":3}\n"
                            "{\"event\":\"evaluation\",\"step\":1,\"testAccuracy\":1}\n"
                            "{\"event\":\"evaluation\",\"step\":2,\"validPerplexity\":9}\n")));

  const auto curve = readCurve(folder / "m", "t");

  BOOST_TEST(curve.loss.at(1) == 3.0);
  BOOST_TEST(curve.accuracy.at(1) == 1.0);
  BOOST_TEST(curve.perplexity.at(2) == 9.0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli
