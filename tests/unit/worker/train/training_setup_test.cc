#include "worker/train/training_setup.h"

#include <fstream>
#include <string>

#include <boost/algorithm/string/replace.hpp>
#include <boost/test/unit_test.hpp>

#include "engine/data/data_files.h"
#include "engine/data/generated.h"
#include "job/document/job_file.h"
#include "tests/support/golden.h"
#include "tests/support/temporary_folder.h"

namespace sumac::worker::training_setup_test {

/// A job of one dense layer on generated images, and its checkpoints.
class Place {
 public:
  void writeJob(int outputs, const std::string& kernels = "auto", int batch_size = 4) {
    std::ofstream(options_.job_file = folder_ / "job.yaml")
        << R"(apiVersion: sumac.dev/v1alpha1
kind: TrainingJob
metadata: {name: small}
spec:
  model:
    input: [1, 4, 4]
    layers:
      - {type: flatten}
      - {name: hidden, type: dense, outputs: )"
        << outputs << R"(}
      - {name: last, type: dense, outputs: 2}
      - {type: softmaxCrossEntropy}
  data:
    format: generated
    generated: {trainSamples: 16, testSamples: 4, shape: [1, 4, 4], classes: 2}
  training: {batchSize: )"
        << batch_size
        << R"(, steps: 4, logicalWorkers: 2, optimizer: {learningRate: "0.1"}, kernels: )"
        << kernels << R"(}
  worker: {replicas: 2}
  security: {transport: none}
)";
  }

  std::variant<TrainingSetup, ProcessEnd> prepare() { return prepareAs(0, false); }
  std::variant<TrainingSetup, ProcessEnd> prepareAs(int index, bool is_elastic) {
    options_.index = index;
    options_.is_elastic = is_elastic;
    options_.checkpoint_folder = folder_ / "checkpoints";
    return prepareTraining(options_, job::readJobFile(options_.job_file).value(),
                           Log::discarding());
  }

  /// The same job on images of another shape, from files.
  std::variant<TrainingSetup, ProcessEnd> prepareOnImages(const model::Shape& shape) {
    const auto images =
        generateImages({.train_samples = 8, .test_samples = 4, .shape = shape, .classes = 2});
    BOOST_REQUIRE(createFiles(folder_ / "idx", idxFiles(*images, Compression::kNone)));
    auto job = job::readJobFile(options_.job_file).value();
    job.data = {};
    job.data.format = job::DataFormat::kIdx;
    job.data.path = (folder_ / "idx").string();
    options_.index = 0;
    return prepareTraining(options_, std::move(job), Log::discarding());
  }

  /// As a pod of the job of this name.
  std::variant<TrainingSetup, ProcessEnd> prepareInCluster(
      const std::string& name, const std::string& name_space = "team-a") {
    auto job = job::readJobFile(options_.job_file).value();
    job.name = name;
    WorkerOptions options = options_;
    options.index = 0;
    options.job_uid = "uid-of-" + name;
    options.job_namespace = name_space;
    options.output_folder = folder_ / "output";
    options.checkpoint_folder = folder_ / "checkpoints";
    return prepareTraining(options, std::move(job), Log::discarding());
  }

  /// With an empty `plan_hash`, of this job.
  void writeCheckpoint(const std::string& numerics, Step step = 2,
                       const std::string& plan_hash = {}) {
    const auto prepared = prepare();
    const auto* setup = std::get_if<TrainingSetup>(&prepared);
    BOOST_REQUIRE(setup != nullptr);
    checkpoint::State state;
    state.step = step;
    state.weights.resize(static_cast<std::size_t>(setup->network.parameters));
    state.plan_hash = plan_hash.empty() ? setup->plan_hash : plan_hash;
    state.plan_lines = setup->plan_lines;
    state.numerics = numerics;
    BOOST_REQUIRE(checkpoint::write(setup->checkpoint_folder, setup->network, state, {.keep = 1})
                      .has_value());
  }

  std::string shown(const std::string& text) const {
    return boost::replace_all_copy(text, folder_.path().string(), "FOLDER");
  }

 private:
  TemporaryFolder folder_;
  WorkerOptions options_;
};

std::string badConfiguration(const std::variant<TrainingSetup, ProcessEnd>& prepared) {
  const auto* end = std::get_if<ProcessEnd>(&prepared);
  BOOST_REQUIRE(end != nullptr);
  BOOST_TEST(toInt(end->code) == toInt(ExitCode::kBadConfiguration));
  return end->reason;
}

BOOST_AUTO_TEST_SUITE(training_setup)

BOOST_AUTO_TEST_CASE(says_which_input_fits_samples_of_another_shape) {
  Place place;
  place.writeJob(3);
  test::checkGolden("worker/train/other_shape.txt",
                    place.shown(badConfiguration(place.prepareOnImages({1, 6, 5}))) + "\n");
}

BOOST_AUTO_TEST_CASE(reads_the_checkpoint_of_the_same_job) {
  Place place;
  place.writeJob(3);
  place.writeCheckpoint("baseline/1");

  const auto prepared = place.prepare();

  const auto* setup = std::get_if<TrainingSetup>(&prepared);
  BOOST_REQUIRE(setup != nullptr);
  BOOST_TEST(setup->newest.has_value());
}

BOOST_AUTO_TEST_CASE(only_worker_0_reads_the_checkpoint_where_members_change) {
  for (const bool is_elastic : {false, true}) {
    Place place;
    place.writeJob(3);
    place.writeCheckpoint("baseline/1");
    for (const int index : {0, 1}) {
      const auto prepared = place.prepareAs(index, is_elastic);
      const auto* setup = std::get_if<TrainingSetup>(&prepared);
      BOOST_REQUIRE(setup != nullptr);
      BOOST_TEST(setup->newest_step == 2);
      BOOST_TEST(setup->newest.value().numerics == "baseline/1");
      BOOST_TEST(setup->newest_state.has_value() == (index == 0 || !is_elastic));
    }
  }
}

BOOST_AUTO_TEST_CASE(rejects_the_checkpoint_of_another_job_and_says_what_differs) {
  Place place;
  test::Transcript said;
  const auto add = [&](const char* name) {
    said.add(name, place.shown(badConfiguration(place.prepare())));
  };
  place.writeJob(3);
  place.writeCheckpoint("baseline/1");
  place.writeJob(5);
  add("another network");
  place.writeJob(3, "auto", 8);
  add("another batch size");
  place.writeJob(3, "avx2");
  add("other kernels");

  // An earlier version kept no lines, and who knows what wrote others.
  Place other;
  other.writeJob(3);
  other.writeCheckpoint("baseline/1", 2, "another");
  other.writeJob(3, "auto", 8);
  said.add("lines of another hash", other.shown(badConfiguration(other.prepare())));
  test::checkGolden("worker/train/other_checkpoints.txt", said.text());
}

BOOST_AUTO_TEST_CASE(passes_over_the_newer_checkpoint_of_another_job) {
  Place place;
  place.writeJob(3);
  place.writeCheckpoint("baseline/1", 2);
  place.writeCheckpoint("baseline/1", 3, "another");

  const auto prepared = place.prepare();

  const auto* setup = std::get_if<TrainingSetup>(&prepared);
  BOOST_REQUIRE(setup != nullptr);
  BOOST_TEST(setup->newest_step == 2);
}

BOOST_AUTO_TEST_CASE(refuses_the_output_folder_of_another_job) {
  Place place;
  place.writeJob(3);
  BOOST_TEST(std::holds_alternative<TrainingSetup>(place.prepareInCluster("first")));

  test::Transcript said;
  said.add("another name", place.shown(badConfiguration(place.prepareInCluster("second"))));
  said.add("another namespace",
           place.shown(badConfiguration(place.prepareInCluster("first", "team-b"))));
  test::checkGolden("worker/train/other_output.txt", said.text());
  BOOST_TEST(std::holds_alternative<TrainingSetup>(place.prepareInCluster("first")));  // again
}

BOOST_AUTO_TEST_CASE(removes_the_unfinished_checkpoints_of_its_earlier_attempts) {
  Place place;
  place.writeJob(3);
  const auto prepared = place.prepareInCluster("first");
  const auto& setup = std::get<TrainingSetup>(prepared);
  const auto mine = setup.checkpoint_folder / ("partial-step-9-1-" + setup.checkpoint_owner + "-7");
  const auto other = setup.checkpoint_folder / "partial-step-9-1-0123456789abcdef-7";
  for (const auto& folder : {mine, other})
    std::filesystem::create_directory(folder);

  place.prepareInCluster("first");

  BOOST_TEST(!std::filesystem::exists(mine));
  BOOST_TEST(std::filesystem::exists(other));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::training_setup_test
