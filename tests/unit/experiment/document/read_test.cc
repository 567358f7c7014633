#include "experiment/document/read.h"

#include <boost/test/unit_test.hpp>

#include "job/document/explain.h"

#include "experiment/document/fields.h"
#include "experiment/document/kind.h"

namespace sumac::experiment::read_test {
namespace {

const std::string kHead =
    "apiVersion: sumac.dev/v1alpha1\n"
    "kind: Experiment\n"
    "metadata: {name: study}\n"
    "spec:\n";
const std::string kJob = "  jobPath: job.yaml\n";

Result<NamedFile> load(const std::string& path) {
  if (path == "job.yaml") return NamedFile{"here/job.yaml", "kind: TrainingJob\n"};
  if (path == "other.yaml") return NamedFile{"here/other.yaml", "kind: Experiment\nspec: {}\n"};
  if (path == "list.yaml") return NamedFile{"here/list.yaml", "[1]\n"};
  if (path == "broken.yaml") return NamedFile{"here/broken.yaml", "a: [1\n"};
  return Error{ErrorCode::kNotFound, "no file " + path};
}

Reading read(const std::string& text) {
  return readExperiment(text, "study.yaml", load);
}

std::string problems(const std::string& text) {
  return job::problemList(read(text).problems);
}

/// The problems of a document whose axes are these.
std::string problemsOfAxes(const std::string& axes) {
  return problems(kHead + kJob + "  axes:\n" + axes);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(read_experiment)

BOOST_AUTO_TEST_CASE(a_short_document_has_defaults) {
  const auto reading = read(kHead + kJob);

  BOOST_TEST(job::problemList(reading.problems) == "");
  const Experiment& experiment = reading.experiment.value();
  BOOST_TEST(experiment.name == "study");
  BOOST_TEST(experiment.base.file == "here/job.yaml");
  BOOST_TEST(experiment.base.prefix == "");
  BOOST_TEST(experiment.axes.empty());
  BOOST_TEST(experiment.measurement.steps == 100);
  BOOST_TEST(experiment.measurement.warmup_steps == 20);
  BOOST_TEST(experiment.measurement.repetitions == 3);
  BOOST_TEST(experiment.measurement.seed == 1U);
  BOOST_TEST(!experiment.measurement.stop.has_value());
}

BOOST_AUTO_TEST_CASE(axes_have_fields_or_variants) {
  const auto reading =
      read(kHead + kJob +
           "  axes:\n"
           "    - {field: worker.replicas, values: [1, 2]}\n"
           "    - name: exchange\n"
           "      variants:\n"
           "        - {name: ring, set: {strategy.algorithm: ring, server: null}}\n"
           "  stop: {halfWidth: \"0.02\"}\n");

  BOOST_REQUIRE(reading.experiment.has_value());
  const auto& axes = reading.experiment->axes;
  BOOST_REQUIRE(axes.size() == 2);
  BOOST_TEST(axes[0].name == "worker.replicas");
  BOOST_TEST(axes[0].values[1].name == "2");
  BOOST_TEST(axes[0].values[1].settings[0].path == "spec.worker.replicas");
  BOOST_TEST(axes[1].values[0].name == "ring");
  BOOST_TEST(axes[1].values[0].settings[1].path == "spec.server");
  BOOST_TEST(reading.experiment->measurement.stop->half_width == 0.02);
  BOOST_TEST(reading.experiment->measurement.stop->most_repetitions == 10);
}

BOOST_AUTO_TEST_CASE(a_job_may_stand_in_the_document) {
  const auto reading = read(kHead + "  job: {kind: TrainingJob}\n");
  BOOST_REQUIRE(reading.experiment.has_value());
  BOOST_TEST(reading.experiment->base.prefix == "spec.job.");
  BOOST_TEST(reading.experiment->base.document.find("kind")->text == "TrainingJob");
}

BOOST_AUTO_TEST_CASE(problems_have_positions_and_near_names) {
  BOOST_TEST(problems(kHead + kJob + "  repetition: 3\n") ==
             "study.yaml:6:3 spec.repetition: unknown field; did you mean `repetitions`?\n");
  BOOST_TEST(problems(kHead + kJob + "  steps: 1\n") ==
             "study.yaml:6:10 spec.steps: found 1, must be >= 2\n");
  BOOST_TEST(problems(kHead + kJob + "  stop: {halfWidth: 1.5}\n") ==
             "study.yaml:6:21 spec.stop.halfWidth: found \"1.5\", must be < 1\n");
  BOOST_TEST(problemsOfAxes("    - {field: worker.replica, values: [1]}\n") ==
             "study.yaml:7:15 spec.axes[0].field: no field of the job: spec.worker has no field "
             "`replica`; did you mean `replicas`?\n");
  BOOST_TEST(problemsOfAxes("    - {field: steps, values: [10]}\n") ==
             "study.yaml:7:15 spec.axes[0].field: `steps` cannot be varied; of the experiment "
             "link.rate, compute, slowdown and batchSizePerWorker can\n");
}

BOOST_AUTO_TEST_CASE(one_job_is_needed) {
  const std::string needed = "study.yaml:5:3 spec: exactly one of job and jobPath is needed\n";
  BOOST_TEST(problems(kHead + "  steps: 2\n") == needed);
  BOOST_TEST(problems(kHead + kJob + "  job: {}\n") == needed);
}

BOOST_AUTO_TEST_CASE(a_job_that_cannot_be_read_is_named) {
  BOOST_TEST(problems(kHead + "  jobPath: gone.yaml\n") ==
             "study.yaml:5:12 spec.jobPath: no file gone.yaml\n");
  BOOST_TEST(problems(kHead + "  jobPath: list.yaml\n") ==
             "study.yaml:5:12 spec.jobPath: here/list.yaml is not a TrainingJob\n");
  BOOST_TEST(problems(kHead + "  jobPath: other.yaml\n") ==
             "study.yaml:5:12 spec.jobPath: here/other.yaml is not a TrainingJob\n");
  BOOST_TEST(problems(kHead + "  jobPath: broken.yaml\n").starts_with("here/broken.yaml:"));
  BOOST_TEST(problems(kHead + "  job: 7\n") == "study.yaml:5:8 spec.job: must be a TrainingJob\n");
}

BOOST_AUTO_TEST_CASE(axes_that_cannot_be_are_refused) {
  BOOST_TEST(problemsOfAxes("    - {field: checkpoint.everySteps, values: [1]}\n") ==
             "study.yaml:7:15 spec.axes[0].field: `checkpoint.everySteps` cannot be varied: the "
             "experiment sets it\n");
  const std::string at = "study.yaml:7:7 spec.axes[0]: ";
  BOOST_TEST(problemsOfAxes("    - {field: worker.replicas}\n") ==
             at + "either field and values, or name and variants are needed\n");
  BOOST_TEST(problemsOfAxes("    - {field: worker.replicas, values: []}\n") ==
             "study.yaml:7:40 spec.axes[0]: an axis needs at least one value\n");
  BOOST_TEST(problemsOfAxes("    - {field: worker.replicas, values: [1, 1]}\n") ==
             "study.yaml:7:44 spec.axes[0]: the value `1` is there twice\n");
  BOOST_TEST(problemsOfAxes("    - {field: metadata.name, values: [a]}\n") ==
             "study.yaml:7:15 spec.axes[0].field: `metadata.name` cannot be varied, only fields of "
             "the job's spec\n");
  BOOST_TEST(problemsOfAxes("    - {field: training.epochs, values: [1]}\n") ==
             "study.yaml:7:15 spec.axes[0].field: `training.epochs` cannot be varied: spec.steps "
             "sets it\n");
  BOOST_TEST(problemsOfAxes("    - {field: training.batchSize, values: [8]}\n"
                            "  batchSizePerWorker: 8\n") ==
             "study.yaml:7:15 spec.axes[0].field: `training.batchSize` cannot be varied: "
             "spec.batchSizePerWorker sets it\n");
}

BOOST_AUTO_TEST_CASE(a_delay_as_an_axis_is_refused_with_the_reason) {
  BOOST_TEST(problemsOfAxes("    - {field: link.delay, values: [1ms]}\n") ==
             "study.yaml:7:15 spec.axes[0].field: `link.delay` cannot be varied, link.rate can: "
             "delays need netem, which not every kernel has\n");
}

BOOST_AUTO_TEST_CASE(two_axes_must_not_set_one_field) {
  BOOST_TEST(
      problemsOfAxes("    - {field: worker.replicas, values: [1]}\n"
                     "    - {name: w, variants: [{name: a, set: {worker.replicas: 2}}]}\n") ==
      "study.yaml:8:7 spec.axes[1]: another axis sets spec.worker.replicas too\n");
}

BOOST_AUTO_TEST_CASE(a_stop_rule_needs_an_interval_and_room) {
  BOOST_TEST(problems(kHead + kJob + "  repetitions: 1\n  stop: {halfWidth: \"0.1\"}\n") ==
             "study.yaml:6:16 spec.repetitions: found the number 1; stop needs at least 2 "
             "repetitions: one has no interval\n");
  BOOST_TEST(problems(kHead + kJob +
                      "  repetitions: 5\n  stop: {halfWidth: \"0.1\", maxRepetitions: 4}\n") ==
             "study.yaml:7:44 spec.stop.maxRepetitions: found the number 4; stop.maxRepetitions "
             "must be >= repetitions (5)\n");
  BOOST_TEST(problems(kHead + kJob + "  stop: {halfWidth: \"0.1\", maxRepetitions: 1}\n") ==
             "study.yaml:6:44 spec.stop.maxRepetitions: found 1, must be >= 2\n");
}

BOOST_AUTO_TEST_CASE(a_job_is_told_how_to_run) {
  BOOST_TEST(problems("kind: TrainingJob\nspec: {unknown: 1}\n") ==
             "study.yaml:1:7 kind: found TrainingJob, must be Experiment; sumac run runs a "
             "TrainingJob\n");
}

BOOST_AUTO_TEST_CASE(the_kind_tells_an_experiment) {
  BOOST_TEST(isExperiment(kHead));
  BOOST_TEST(!isExperiment("kind: TrainingJob\n"));
  BOOST_TEST(!isExperiment("kind: [Experiment"));
  BOOST_TEST(!isExperiment(""));
}

BOOST_AUTO_TEST_CASE(its_fields_explain_themselves) {
  const auto stop = job::explain(experimentField(), "experiment.spec.stop");
  BOOST_REQUIRE(stop.has_value());
  BOOST_TEST(stop->find("KIND:       Experiment") != std::string::npos);
  BOOST_TEST(stop->find("halfWidth") != std::string::npos);
  BOOST_TEST(job::explain(experimentField(), "experiment.spec.axis").error().message ==
             "spec has no field `axis`; did you mean `axes`?");
}

BOOST_AUTO_TEST_CASE(a_script_of_numbers_of_workers_is_read) {
  const auto reading =
      read(kHead + kJob + "  scale: [{at: 0s, workers: 1}, {at: 1.5m, workers: 4}]\n");
  BOOST_TEST(job::problemList(reading.problems) == "");
  const auto& scale = reading.experiment.value().scale;
  BOOST_REQUIRE(scale.size() == 2);
  BOOST_TEST(scale[0].workers == 1);
  BOOST_TEST(scale[1].seconds == 90);
}

BOOST_AUTO_TEST_CASE(a_script_that_cannot_be_carried_out_is_refused) {
  const auto scaleProblems = [](const std::string& script) {
    return problems(kHead + kJob + "  scale: [" + script + "]\n");
  };
  BOOST_TEST(scaleProblems("") == "study.yaml:6:10 spec.scale: a script needs at least one step\n");
  BOOST_TEST(scaleProblems("{at: 1s, workers: 1}") ==
             "study.yaml:6:16 spec.scale[0].at: a script begins at 0s\n");
  BOOST_TEST(scaleProblems("{at: 0s, workers: 1}, {at: 0s, workers: 2}") ==
             "study.yaml:6:38 spec.scale[1].at: must be later than the step before\n");
  BOOST_TEST(scaleProblems("{at: 0s, workers: 1}, {at: 1s, workers: 1}") ==
             "study.yaml:6:51 spec.scale[1].workers: the step before has as many workers\n");
  for (const char* const time : {"1", "s", "1.s.", "-1s", "1 s", "1d", ".", "1.2.3s"}) {
    BOOST_TEST(scaleProblems(std::string("{at: '") + time + "', workers: 1}") != "", time);
  }
}

BOOST_AUTO_TEST_CASE(a_script_alone_sets_the_number_of_workers) {
  const std::string script = "  scale: [{at: 0s, workers: 1}]\n";
  BOOST_TEST(
      problems(kHead + kJob + script + "  axes: [{field: worker.replicas, values: [1, 2]}]\n") ==
      "study.yaml:7:18 spec.axes[0].field: `worker.replicas` cannot be varied: spec.scale "
      "sets it\n");
  BOOST_TEST(problems(kHead + kJob + script +
                      "  axes: [{field: batchSizePerWorker, values: [8, 16]}]\n") ==
             "study.yaml:7:18 spec.axes[0].field: `batchSizePerWorker` cannot be varied with "
             "spec.scale: the mini-batch would change with the workers\n");
  BOOST_TEST(problems(kHead + kJob + script + "  batchSizePerWorker: 8\n")
                 .find("batchSizePerWorker cannot be used with scale") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::experiment::read_test
