#include "experiment/report/files.h"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "tests/unit/experiment/report/outcomes.h"

#include "experiment/document/conditions.h"
#include "experiment/report/cells_csv.h"

namespace sumac::experiment::files_test {

BOOST_AUTO_TEST_SUITE(files)

BOOST_AUTO_TEST_CASE(csv_has_a_line_for_each_cell_and_quotes_what_it_must) {
  const MeasuredExperiment measured;
  const auto csv = cellsCsv(measured.experiment, measured.cells, measured.summaries());

  BOOST_TEST(
      csv.starts_with("cell,exchange,worker.replicas,workers,servers,batchSize,"
                      "linkBitsPerSecond,emulated,slowdown,repetitions,"));
  BOOST_TEST(
      csv.find(
          "\r\n2,server,2,2,1,10,,false,,2,2.0,0.0,4.0,0.0,20.0,0.0,0.5,2.0,0.0,1.0,true,\r\n") !=
      std::string::npos);
  BOOST_TEST(csv.ends_with(",\"server-0 ended, with \"\"x\"\"; more\"\r\n"));
}

BOOST_AUTO_TEST_CASE(no_two_columns_have_one_name) {
  MeasuredExperiment measured;
  measured.experiment.axes[0].name = "slowdown";
  measured.experiment.axes[1].name = "cell";
  const auto csv = cellsCsv(measured.experiment, measured.cells, measured.summaries());
  BOOST_TEST(csv.starts_with("cell,axis.slowdown,axis.cell,workers,"), csv);
}

BOOST_AUTO_TEST_CASE(a_job_whose_size_changes_has_no_one_number_of_workers) {
  MeasuredExperiment measured;
  measured.experiment.scale = {{0, 1}, {1, 2}};
  const auto csv = cellsCsv(measured.experiment, measured.cells, measured.summaries());
  BOOST_TEST(csv.find("\r\n1,server,1,,1,10,,false,,2,1.0,0.0,,,10.0,") != csv.npos, csv);
  const auto json = nlohmann::json::parse(
      resultsJson(measured.experiment, measured.cells, measured.outcomes, {}, true));
  BOOST_TEST(!json.at("cells").at(0).contains("workers"));
  BOOST_TEST(!json.at("cells").at(0).contains("workerBatchesPerSecond"));
}

BOOST_AUTO_TEST_CASE(predictions_are_columns_and_fields_where_there_are_some) {
  MeasuredExperiment measured;
  Origin origin;
  origin.prediction_notes = "Not predicted: too large.\nNot fitted: one cell failed.\n";
  const auto without = cellsCsv(measured.experiment, measured.cells, measured.summaries());
  BOOST_TEST(without.find("predicted") == std::string::npos);
  measured.outcomes[0].predicted_batches_per_second = 0.9;
  measured.outcomes[0].is_fitted = true;

  const auto csv = cellsCsv(measured.experiment, measured.cells, measured.summaries());
  const auto json = nlohmann::json::parse(
      resultsJson(measured.experiment, measured.cells, measured.outcomes, origin, true));

  BOOST_TEST(csv.find(",failure,predictedBatchesPerSecond,predictedSamplesPerSecond,"
                      "predictionAccuracy,fitted\r\n") != std::string::npos);
  BOOST_TEST(csv.find(",,0.9,9.0,0.9,true\r\n") != std::string::npos, csv);
  BOOST_TEST(csv.find(",,,,false\r\n") != std::string::npos, csv);
  const auto& cell = json.at("cells").at(0);
  BOOST_TEST(cell.at("predictedBatchesPerSecond") == 0.9);
  BOOST_TEST(cell.at("predictedSamplesPerSecond") == 9);
  BOOST_TEST(json.at("predictionNotes").size() == 2U);
  BOOST_TEST(json.at("predictionNotes").at(1) == "Not fitted: one cell failed.");
  BOOST_TEST(cell.at("predictionAccuracy") == 0.9);
  BOOST_TEST(cell.at("fitted") == true);
  BOOST_TEST(!json.at("cells").at(1).contains("fitted"));
}

BOOST_AUTO_TEST_CASE(both_say_under_which_conditions) {
  MeasuredExperiment measured;
  measured.cells[0].conditions = {100'000'000, true, 2.5};
  const auto csv = cellsCsv(measured.experiment, measured.cells, measured.summaries());
  BOOST_TEST(csv.find("\r\n1,server,1,1,1,10,100000000,true,2.5,2,") != std::string::npos);

  const auto json = nlohmann::json::parse(
      resultsJson(measured.experiment, measured.cells, measured.outcomes, {}, true));
  const auto& limited = json.at("cells").at(0);
  BOOST_TEST(limited.at("linkBitsPerSecond") == 100'000'000);
  BOOST_TEST(limited.at("linkBurstBytes") == kLinkBurstBytes);
  BOOST_TEST(limited.contains("network"));
  BOOST_TEST(limited.at("optimizer").get<std::string>().starts_with("sgd, "));
  BOOST_TEST(limited.at("emulated") == true);
  BOOST_TEST(limited.at("slowdown") == 2.5);
  const auto& other = json.at("cells").at(1);
  BOOST_TEST(other.at("emulated") == false);
  BOOST_TEST(!other.contains("linkBitsPerSecond"));
}

BOOST_AUTO_TEST_CASE(json_says_where_from_and_what_failed) {
  const MeasuredExperiment measured;
  const Origin origin{"1.2.3", "sumac experiment study.yaml", "here", "a cpu", 2, 1'000, "Linux"};
  const auto json = nlohmann::json::parse(
      resultsJson(measured.experiment, measured.cells, measured.outcomes, origin, false));

  BOOST_TEST(json.at("complete") == false);
  BOOST_TEST(json.at("version") == "1.2.3");
  BOOST_TEST(json.at("seed") == 5);
  BOOST_TEST(json.at("machine").at("cores") == 2);
  BOOST_TEST(json.at("command") == "sumac experiment study.yaml");
  const auto& cell = json.at("cells").at(1);
  BOOST_TEST(cell.at("values").at("worker.replicas") == "2");
  BOOST_TEST(cell.at("samplesPerSecond").at("mean") == 20);
  BOOST_TEST(cell.at("samplesPerSecond").at("runs").size() == 2);
  BOOST_TEST(cell.at("workerBatchesPerSecond").at("mean") == 4);
  BOOST_TEST(cell.at("speedup") == 2);
  BOOST_TEST(!cell.contains("failure"));
  const auto& failed = json.at("cells").at(3);
  BOOST_TEST(!failed.contains("samplesPerSecond"));
  BOOST_TEST(failed.at("failure").get<std::string>().starts_with("server-0"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::experiment::files_test
