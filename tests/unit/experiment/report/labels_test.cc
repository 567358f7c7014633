#include "experiment/report/labels.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"
#include "tests/unit/experiment/findings/outcomes.h"

namespace sumac::experiment::labels_test {
namespace {

/// An axis of a field with values.
Axis fieldOf(const std::string& field, const std::vector<const char*>& values) {
  Axis axis{field, {}};
  for (const char* const value : values)
    axis.values.push_back({value, {{"spec." + field, MeasuredExperiment::number(value)}}});
  return axis;
}

Cell cellOf(int number, std::vector<std::string> values) {
  Cell cell;
  cell.number = number;
  cell.values = std::move(values);
  return cell;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(labels)

BOOST_AUTO_TEST_CASE(axes_are_called_by_the_last_part_that_no_other_has) {
  const std::vector<Axis> axes{fieldOf("training.optimizer.learningRate", {"0.1", "0.2"}),
                               fieldOf("worker.replicas", {"1", "2"}),
                               fieldOf("worker.threads", {"1", "2"}),
                               fieldOf("server.threads", {"1", "2"}),
                               {"a.name", {{"x", {{"spec.seed", {}}, {"spec.data", {}}}}}}};
  const char* const names[] = {"learningRate", "workers", "worker.threads", "server.threads",
                               "a.name"};
  for (std::size_t i = 0; i < axes.size(); ++i)
    BOOST_TEST(axisText(axes, i) == names[i]);
  BOOST_TEST(axisText({fieldOf("worker.replicas", {"1"}), {"workers", {}}}, 0) == "replicas");
}

BOOST_AUTO_TEST_CASE(values_are_called_as_people_call_them) {
  const Axis size{"size",
                  {{"1", {{"spec.worker.replicas", MeasuredExperiment::number("1")}}},
                   {"8", {{"spec.worker.replicas", MeasuredExperiment::number("8")}}},
                   {"9", {{"spec.worker.replicas", MeasuredExperiment::number("3")}}},
                   {"none", {{"spec.server", {}}}}}};
  BOOST_TEST(valueText({size}, 0, "9") == "size=9");  // named after something else
  BOOST_TEST(valueText({size}, 0, "1") == "1 worker");
  BOOST_TEST(valueText({size}, 0, "8") == "8 workers");
  BOOST_TEST(valueText({size}, 0, "none") == "none");
  BOOST_TEST(valueText({fieldOf("server.replicas", {"1", "4"})}, 0, "4") == "4 servers");
  BOOST_TEST(valueText({fieldOf("server.replicas", {"1"})}, 0, "1") == "1 server");
  BOOST_TEST(valueText({{"link", {{"1 Gbit/s", {}}}}}, 0, "1 Gbit/s") == "1 Gbit/s");
  BOOST_TEST(valueText({fieldOf("strategy.algorithm", {"ring"})}, 0, "ring") == "ring");
  BOOST_TEST(valueText({fieldOf("training.x", {"true"})}, 0, "true") == "x=true");
}

BOOST_AUTO_TEST_CASE(cells_are_called_by_what_differs) {
  const std::vector<Axis> axes{fieldOf("training.optimizer.learningRate", {"0.01", "0.1"}),
                               fieldOf("training.batchSize", {"16", "32"}),
                               fieldOf("data.name", {"mnist"})};
  const Cell cell = cellOf(1, {"0.01", "16", "mnist"});
  BOOST_TEST(cellText(axes, cell, {}) == "learningRate=0.01, batchSize=16");
  BOOST_TEST(cellText(axes, cell, {0}) == "batchSize=16");
  BOOST_TEST(cellText({}, cellOf(1, {}), {}) == "the job");
}

BOOST_AUTO_TEST_CASE(no_two_cells_have_one_name) {
  const std::vector<Axis> axes{{"a", {{"x, y", {}}, {"x", {}}}}, {"b", {{"z", {}}, {"y, z", {}}}}};
  const std::vector<Cell> cells{cellOf(1, {"x, y", "z"}), cellOf(2, {"x", "y, z"}),
                                cellOf(3, {"x", "z"})};
  BOOST_TEST((cellTexts(axes, cells, {}) ==
              std::vector<std::string>{"x, y, z", "x, y, z (cell 2)", "x, z"}));
  BOOST_TEST((cellTexts(axes, cells, {1}) == std::vector<std::string>{"x, y", "x", "x"}));
}

BOOST_AUTO_TEST_CASE(links_are_called_by_their_rate) {
  BOOST_TEST(linkText({std::nullopt, false}) == "loopback");
  BOOST_TEST(linkText({2'500'000'000, false}) == "2.5 Gbit/s");
}

BOOST_AUTO_TEST_CASE(a_script_is_called_by_its_steps) {
  BOOST_TEST(scriptText({{0, 1}, {2.5, 4}}) == "1 worker at 0 s, 4 workers at 2.5 s");
}

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

}  // namespace sumac::experiment::labels_test
