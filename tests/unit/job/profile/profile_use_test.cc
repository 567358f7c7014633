#include "job/profile/profile_use.h"

#include <string>

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"

namespace sumac::profile_use_test {

Timing exactly(double seconds) {
  return {seconds, seconds, seconds};
}

/// Of one part by one thread: its forward pass takes `seconds`, its backward pass twice that.
BatchProfile aBatch(std::int64_t samples, double seconds) {
  BatchProfile batch;
  batch.samples = samples;
  batch.forward = exactly(seconds);
  batch.backward = exactly(2 * seconds);
  batch.update = exactly(0.25);
  return batch;
}

JobProfile aProfile() {
  JobProfile profile;
  profile.version = "0.1.0";
  profile.machine = {"node-1", "AMD EPYC", "avx512", 2, std::nullopt};
  profile.subject = {"lenet5", std::string(64, 'a'), "sgd", 1};
  profile.batches = {aBatch(32, 2), aBatch(16, 1)};
  return profile;
}

ProfileNeed theSame() {
  const JobProfile profile = aProfile();
  return {profile.version, profile.machine, profile.subject};
}

BOOST_AUTO_TEST_SUITE(profile_use)

BOOST_AUTO_TEST_CASE(a_profile_of_this_job_on_this_machine_is_used) {
  BOOST_TEST(whyNot(aProfile(), theSame()).empty());
  BOOST_TEST(whyNot(aProfile(), {}).empty());
}

BOOST_AUTO_TEST_CASE(says_what_a_foreign_profile_is_of) {
  using Change = void (*)(ProfileNeed&);
  const std::pair<const char*, Change> changes[] = {
      {"version", [](ProfileNeed& need) { need.version = "0.2.0"; }},
      {"host", [](ProfileNeed& need) { need.machine.host = "node-2"; }},
      {"CPU", [](ProfileNeed& need) { need.machine.cpu = "Xeon"; }},
      {"kernels", [](ProfileNeed& need) { need.machine.kernels = "avx2"; }},
      {"quota", [](ProfileNeed& need) { need.machine.quota = 1.5; }},
      {"network", [](ProfileNeed& need) { need.subject.network = "mlp"; }},
      {"layers", [](ProfileNeed& need) { need.subject.sha256 = std::string(64, 'b'); }},
      {"optimizer", [](ProfileNeed& need) { need.subject.optimizer = "adam"; }}};
  test::Transcript said;
  for (const auto& [name, change] : changes) {
    ProfileNeed need = theSame();
    change(need);
    const std::string why = whyNot(aProfile(), need);
    BOOST_TEST(!why.empty(), name);
    said.add(name, why);
  }
  test::checkGolden("job/profile/foreign.txt", said.text());
}

BOOST_AUTO_TEST_CASE(a_measured_batch_is_taken_as_it_is) {
  const auto batch = batchFor(aProfile(), {.samples = 32});

  BOOST_TEST_REQUIRE(batch.has_value());
  BOOST_TEST((*batch == aBatch(32, 2)));
}

BOOST_AUTO_TEST_CASE(between_two_sizes_times_are_on_a_line) {
  const auto batch = batchFor(aProfile(), {.samples = 24});

  BOOST_TEST_REQUIRE(batch.has_value());
  BOOST_TEST(batch->forward.median == 1.5);
  BOOST_TEST(batch->backward.median == 3.0);
  BOOST_TEST(batch->update.median == 0.25);
}

BOOST_AUTO_TEST_CASE(parts_are_computed_one_after_the_other_and_updated_once) {
  const auto batch = batchFor(aProfile(), {.samples = 64, .parts = 4});

  BOOST_TEST_REQUIRE(batch.has_value());
  BOOST_TEST(batch->forward.median == 4.0);
  BOOST_TEST(batch->backward.median == 8.0);
  BOOST_TEST(batch->update.median == 0.25);
  BOOST_TEST(batch->parts == 4);
}

BOOST_AUTO_TEST_CASE(beyond_what_was_measured_times_are_in_proportion_up_to_a_factor_of_two) {
  BOOST_TEST(batchFor(aProfile(), {.samples = 64})->forward.median == 4.0);
  BOOST_TEST(batchFor(aProfile(), {.samples = 8})->forward.median == 0.5);
  BOOST_TEST(!batchFor(aProfile(), {.samples = 65}).has_value());
  BOOST_TEST(!batchFor(aProfile(), {.samples = 7}).has_value());
}

BOOST_AUTO_TEST_CASE(below_what_was_measured_times_do_not_go_below_a_floor) {
  JobProfile profile = aProfile();
  for (BatchProfile& batch : profile.batches)
    batch.forward = batch.backward = {1, 1, 1};
  BOOST_TEST(batchFor(profile, {.samples = 8})->forward.median == 1.0);
}

BOOST_AUTO_TEST_CASE(threads_that_were_not_measured_are_named_with_the_command) {
  const auto batch = batchFor(aProfile(), {.samples = 32, .parts = 1, .threads = 2});

  BOOST_TEST_REQUIRE(!batch.has_value());
  BOOST_TEST(batch.error().message.ends_with(" sumac profile --batch-sizes 32 --threads 2"));
}

BOOST_AUTO_TEST_CASE(gradients_become_final_from_the_last_layer_to_the_first) {
  BatchProfile batch = aBatch(16, 6);  // a backward pass of 12 s, of which layers tell 6
  batch.layers = {
      {.name = "conv1", .tensors = {{"conv1.weight", 150, 1}}, .input_gradient_seconds = 0},
      {.name = "pool1", .tensors = {}, .input_gradient_seconds = 1},
      {.name = "dense1",
       .tensors = {{"dense1.bias", 10, 0.5}, {"dense1.weight", 480, 1.5}},
       .input_gradient_seconds = 2}};

  const auto times = backwardTimes(batch);

  const std::vector<GradientTime> expected{
      {"dense1.bias", 10, 1}, {"dense1.weight", 480, 3}, {"conv1.weight", 150, 8}};
  BOOST_TEST((times.tensors == expected));
  BOOST_TEST(times.rest_seconds == 0);
}

BOOST_AUTO_TEST_CASE(what_comes_after_the_last_gradient_is_told_apart) {
  BatchProfile batch = aBatch(16, 1);
  batch.layers = {{.name = "dropout1", .tensors = {}, .input_gradient_seconds = 1},
                  {.name = "dense1", .tensors = {{"dense1.weight", 480, 1}}}};

  const auto times = backwardTimes(batch);

  BOOST_TEST(times.tensors.at(0).seconds == 1);
  BOOST_TEST(times.rest_seconds == 1);
}

BOOST_AUTO_TEST_CASE(without_times_of_layers_all_is_final_at_the_end) {
  BatchProfile batch = aBatch(16, 1);
  BOOST_TEST(backwardTimes(batch).rest_seconds == 2);
  batch.layers = {{.name = "a", .tensors = {{"a.weight", 1, 0}}},
                  {.name = "b", .tensors = {{"b.weight", 1, 0}}}};

  const auto times = backwardTimes(batch);

  BOOST_TEST(times.tensors.at(0).seconds == 2);
  BOOST_TEST(times.tensors.at(1).seconds == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::profile_use_test
