#include "experiment/predict/cell_prediction.h"

#include <boost/test/unit_test.hpp>

#include "job/model/network.h"
#include "job/profile/subject.h"

namespace sumac::experiment::prediction_test {

Timing exactly(double seconds) {
  return {seconds, seconds, seconds};
}

Cell aCell(int number, int workers, const char* network) {
  Cell cell;
  cell.number = number;
  cell.job.model.name = network;
  cell.job.training.batch_size = 64L * workers;
  cell.job.training.logical_workers = workers;
  cell.job.worker.replicas = workers;
  cell.job.server.replicas = 1;
  cell.job.transport = job::Transport::kNone;
  cell.job.training.threads = 1;
  return cell;
}

/// Of LeNet-5: a millisecond forward, two backward.
JobProfile aProfile() {
  BatchProfile batch;
  batch.samples = 64;
  batch.forward = exactly(1e-3);
  batch.backward = exactly(2e-3);
  batch.update = exactly(1e-5);
  JobProfile profile;
  profile.machine.cores = 2;
  profile.subject =
      subjectOf(aCell(1, 1, "lenet5").job, *model::resolve(*model::fromZoo("lenet5")));
  profile.batches = {batch};
  for (const std::int64_t bytes : {4'000, 64'000, 1'000'000})
    profile.links.push_back({"tcp", bytes, exactly(1e-4 + 1e-9 * static_cast<double>(bytes))});
  return profile;
}

BOOST_AUTO_TEST_SUITE(prediction)

BOOST_AUTO_TEST_CASE(more_workers_than_cores_are_slower) {
  const auto cells = predictCells(
      {aCell(1, 1, "lenet5"), aCell(2, 2, "lenet5"), aCell(3, 4, "lenet5")}, {aProfile()});

  BOOST_TEST_REQUIRE(cells[0].batches_per_second.has_value());
  BOOST_TEST(*cells[0].batches_per_second < 1 / 3e-3);
  BOOST_TEST(*cells[0].batches_per_second > 1 / 5e-3);
  BOOST_TEST(*cells[2].batches_per_second < *cells[1].batches_per_second);
  BOOST_TEST(*cells[2].batches_per_second < 1 / 6e-3);
}

BOOST_AUTO_TEST_CASE(members_share_as_many_cores_as_the_cpu_limit_allows) {
  JobProfile profile = aProfile();
  profile.machine.cores = 8;
  for (const auto& [quota, cores] : {std::pair{2.0, 2}, {1.5, 2}, {16.0, 8}}) {
    profile.machine.quota = quota;
    const auto cells = predictCells({aCell(1, 1, "lenet5")}, {profile});
    BOOST_TEST(cells[0].step.where.shared_cores == cores);
  }
}

BOOST_AUTO_TEST_CASE(time_steps_that_are_left_to_the_model_are_its_own) {
  Cell cell = aCell(1, 1, "ptb-lstm-small");
  cell.job.training.unroll = 20;  // as in the zoo
  JobProfile profile = aProfile();
  profile.subject =
      subjectOf(cell.job, *model::resolve(*model::fromZoo("ptb-lstm-small"), {.unroll = 20}));
  Cell plain = cell;
  plain.job.training.unroll = 0;

  const auto cells = predictCells({cell, plain}, {profile});

  BOOST_TEST_REQUIRE(cells[0].batches_per_second.has_value(), cells[0].why_not);
  BOOST_TEST_REQUIRE(cells[1].batches_per_second.has_value(), cells[1].why_not);
  BOOST_TEST(*cells[0].batches_per_second == *cells[1].batches_per_second);
}

BOOST_AUTO_TEST_CASE(a_limited_link_is_slower) {
  Cell limited = aCell(1, 1, "lenet5");
  limited.conditions.link_bits_per_second = 10'000'000;

  const auto cells = predictCells({limited}, {aProfile()});

  // 61,706 values each way at 1.25 MB/s, at once in both.
  BOOST_TEST(*cells[0].batches_per_second < 1 / 0.2);
  BOOST_TEST(*cells[0].batches_per_second > 1 / 0.39);
}

BOOST_AUTO_TEST_CASE(emulated_computing_that_is_slowed_down_takes_as_many_times_as_long) {
  Cell slow = aCell(1, 1, "lenet5");
  slow.conditions.is_emulated = true;
  slow.conditions.slowdown = 1000;
  Cell plain = slow;
  plain.conditions.slowdown = 1;
  const auto cells = predictCells({plain, slow}, {aProfile()});

  const double ratio = *cells[0].batches_per_second / *cells[1].batches_per_second;
  BOOST_TEST(ratio > 100);
  BOOST_TEST(ratio <= 1000);
}

BOOST_AUTO_TEST_CASE(a_cell_of_another_network_is_not_predicted) {
  const auto cells = predictCells({aCell(1, 1, "cifar10-quick")}, {aProfile()});

  BOOST_TEST(!cells[0].batches_per_second.has_value());
  BOOST_TEST(cells[0].why_not.find("cifar10-quick") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_fit_explains_what_was_measured_and_marks_it) {
  auto cells = predictCells({aCell(1, 1, "lenet5"), aCell(2, 2, "lenet5"), aCell(3, 4, "lenet5")},
                            {aProfile()});
  const double before = *cells[2].batches_per_second;
  const double slower = 0.8 * *cells[0].batches_per_second;

  const auto fit = fitTo({{1, slower}}, cells);

  BOOST_TEST_REQUIRE(fit.has_value());
  BOOST_TEST(*cells[0].batches_per_second == slower, boost::test_tools::tolerance(1e-6));
  BOOST_TEST(cells[0].is_fitted);
  BOOST_TEST(!cells[2].is_fitted);
  BOOST_TEST(*cells[2].batches_per_second < before);
}

BOOST_AUTO_TEST_CASE(the_duration_is_that_of_all_steps_of_all_runs) {
  Measurement measurement;
  measurement.steps = 90;
  measurement.warmup_steps = 10;
  std::vector<CellPrediction> cells(2);
  cells[0].batches_per_second = 100;
  BOOST_TEST(!predictedDuration(measurement, 3, cells).has_value());
  cells[1].batches_per_second = 50;
  BOOST_TEST(*predictedDuration(measurement, 3, cells) == 9.0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::experiment::prediction_test
