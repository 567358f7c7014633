#include "experiment/report/trained.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"

namespace sumac::experiment::trained_test {

BOOST_AUTO_TEST_SUITE(trained)

BOOST_AUTO_TEST_CASE(a_network_is_called_by_its_name_or_by_its_size) {
  job::TrainingJob job;
  job.model.name = "lenet5";
  BOOST_TEST(networkText(job) == "lenet5");
  job.model = {"", model::NetworkSpec{"", {6}, {}}, 0};
  job.model.network->layers = {{"dense1", model::Dense{4}, {}},
                               {"loss1", model::SoftmaxCrossEntropy{}, {}}};
  test::Transcript said;
  said.add("its layers and parameters", networkText(job));
  job.model.network->layers[0].kind = model::Dense{5};
  BOOST_TEST(networkText(job).ends_with(" 35 parameters"));
  job.model.network->layers[0].kind = model::Embedding{5};  // of as many words as the data have
  said.add("its layers", networkText(job));
  test::checkGolden("experiment/report/network.txt", said.text());
}

BOOST_AUTO_TEST_CASE(data_are_called_by_their_name_their_path_or_what_they_are) {
  job::TrainingJob job;
  job.data.name = "fashion-mnist-mini";
  BOOST_TEST(dataText(job) == "fashion-mnist-mini");
  job.data.path = "/data/mnist";
  BOOST_TEST(dataText(job) == "/data/mnist");
  job.data.generated.emplace().classes = 10;
  BOOST_TEST(dataText(job) == "generated images of 10 classes");
  job.data.generated->vocabulary = 1000;
  BOOST_TEST(dataText(job) == "generated text of 1000 words");
}

BOOST_AUTO_TEST_CASE(an_optimizer_is_told_with_what_it_uses) {
  job::TrainingJob job;
  job.training.optimizer = {job::OptimizerName::kNesterov, 0.05, 0.9, 0};
  BOOST_TEST(optimizerText(job) == "nesterov, learning rate 0.05, momentum 0.9");
  job.training.optimizer.weight_decay = 0.0001;
  job.training.schedule.name = job::ScheduleName::kStep;
  BOOST_TEST(optimizerText(job) ==
             "nesterov, learning rate 0.05, momentum 0.9, weight decay 0.0001, schedule step");
  job.training.optimizer = {job::OptimizerName::kAdam, 0.001, 0, 0};
  job.training.schedule.name = job::ScheduleName::kConstant;
  BOOST_TEST(optimizerText(job) == "adam, learning rate 0.001");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::experiment::trained_test
