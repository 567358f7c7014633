#include "job/document/network_of.h"

#include <boost/test/unit_test.hpp>

#include "job/document/job.h"
#include "tests/unit/job/document/documents.h"

namespace sumac::job::network_of_test {

namespace {

/// A job of text with these fields in its model.
TrainingJob textJob(std::string_view model, std::string_view training = "batchSize: 128") {
  const std::string text =
      replaced(replaced(replaced(kLenet, "{name: lenet5}", model), "{name: fashion-mnist-mini}",
                        "{format: text, path: /data}"),
               "batchSize: 128", training);
  Reading reading = readJob(text, "job.yaml", {}, true);
  BOOST_TEST_REQUIRE(problemList(reading.problems) == "");
  return *reading.job;
}

constexpr std::string_view kOwn =
    "{input: [7], layers: [{type: embedding, outputs: 4}, {type: dense}, {type: "
    "softmaxCrossEntropy}]}";

}  // namespace

BOOST_AUTO_TEST_SUITE(network_of)

BOOST_AUTO_TEST_CASE(takes_the_words_of_the_job_then_of_the_data_then_of_the_zoo) {
  const TrainingJob plain = textJob("{name: ptb-lstm-small}");
  const TrainingJob given = textJob("{name: ptb-lstm-small, vocabulary: 300}");

  BOOST_TEST(networkOf(plain)->vocabulary() == 10'000);
  BOOST_TEST(networkOf(plain, 6022)->vocabulary() == 6022);
  BOOST_TEST(networkOf(given)->vocabulary() == 300);
  BOOST_TEST(networkOf(given, 6022)->vocabulary() == 300);
}

BOOST_AUTO_TEST_CASE(takes_the_time_steps_of_the_training_then_of_the_model) {
  BOOST_TEST(networkOf(textJob("{name: ptb-lstm-small}"))->input == model::Shape{20},
             boost::test_tools::per_element());
  BOOST_TEST(networkOf(textJob(kOwn), 50)->input == model::Shape{7},
             boost::test_tools::per_element());
  BOOST_TEST(
      networkOf(textJob(kOwn, "batchSize: 128\n    unroll: 35"), 50)->input == model::Shape{35},
      boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(of_its_own_of_text_needs_somebody_who_knows_the_words) {
  const TrainingJob job = textJob(kOwn);

  BOOST_TEST(networkOf(job, 50)->vocabulary() == 50);
  BOOST_TEST(!networkOf(job).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::job::network_of_test
