// Numbers that are none, and more of everything than there can be.

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "planner/parallel/oracle.h"
#include "tests/unit/planner/parallel/cases.h"

namespace sumac::planner::parallel_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

struct Change {
  std::function<void(ParallelCase&)> make;
  std::string complaint;  // in the message
};

void checkRejected(const ParallelCase& question, const std::string& complaint) {
  BOOST_TEST_CONTEXT(complaint) {
    const auto ranked = rankStrategies(question, 2);
    BOOST_REQUIRE(!ranked);
    BOOST_TEST(ranked.error().code == ErrorCode::kInvalid);
    BOOST_TEST(ranked.error().message.find(complaint) != std::string::npos, ranked.error().message);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(bad_input)

BOOST_AUTO_TEST_CASE(quantities_must_be_finite_and_not_negative) {
  for (const double bad : {-1.0, kNan, kInfinity, -kInfinity}) {
    const std::vector<Change> changes{
        {[&](ParallelCase& c) { c.network.layers[1].input_items = bad; }, "(second): input items"},
        {[&](ParallelCase& c) { c.network.layers[0].output_items = bad; }, "output items"},
        {[&](ParallelCase& c) { c.network.layers[0].weight_items = bad; }, "weight items"},
        {[&](ParallelCase& c) { c.network.layers[0].input_halo_items = bad; }, "input halo"},
        {[&](ParallelCase& c) { c.network.layers[0].output_halo_items = bad; }, "output halo"},
        {[&](ParallelCase& c) { c.network.layers[0].forward_seconds = bad; }, "forward seconds"},
        {[&](ParallelCase& c) { c.network.layers[0].backward_seconds = bad; }, "backward seconds"},
        {[&](ParallelCase& c) { c.network.layers[0].update_seconds = bad; }, "update seconds"},
        {[&](ParallelCase& c) { c.machines.collectives[0].link.latency_seconds = bad; }, "latency"},
        {[&](ParallelCase& c) { c.machines.collectives[0].link.seconds_per_byte = bad; },
         "seconds per byte"},
        {[&](ParallelCase& c) { c.machines.memory_bytes = bad; }, "memory of a member"},
        {[&](ParallelCase& c) { c.training.bytes_per_item = bad; }, "bytes per item"},
        {[&](ParallelCase& c) { c.choices.memory_reuse = bad; }, "memory reuse (gamma)"},
        {[&](ParallelCase& c) { c.choices.contention.stage_transfer = bad; }, "contention (phi)"},
    };
    for (const Change& change : changes) {
      ParallelCase question = tableCase();
      change.make(question);
      checkRejected(question, change.complaint);
    }
  }
}

BOOST_AUTO_TEST_CASE(counts_must_be_positive_and_possible) {
  for (const std::int64_t bad : {std::int64_t{0}, std::int64_t{-1}, kMost}) {
    const std::vector<Change> changes{
        {[&](ParallelCase& c) { c.training.samples = bad; }, "samples of the data set"},
        {[&](ParallelCase& c) { c.training.batch_size = bad; }, "batch size"},
        {[&](ParallelCase& c) { c.network.layers[0].filters = bad; }, "filters"},
        {[&](ParallelCase& c) { c.network.layers[0].channels = bad; }, "channels"},
        {[&](ParallelCase& c) { c.network.layers[0].positions = bad; }, "positions"},
        {[&](ParallelCase& c) { c.machines.members_per_machine = bad; }, "members per machine"},
        {[&](ParallelCase& c) { c.machines.collectives[0].members = bad; }, "members"},
        {[&](ParallelCase& c) { c.choices.segments = bad; }, "segments"},
    };
    for (const Change& change : changes) {
      ParallelCase question = tableCase();
      change.make(question);
      checkRejected(question, change.complaint);
    }
  }
}

BOOST_AUTO_TEST_CASE(what_is_missing_or_does_not_match_is_named) {
  const std::vector<Change> changes{
      {[](ParallelCase& c) { c.network.layers.clear(); }, "layers is 0"},
      {[](ParallelCase& c) { c.network.layers.resize(kMostLayers + 1); }, "at most 100000"},
      {[](ParallelCase& c) { c.machines.collectives.clear(); }, "links between members"},
      {[](ParallelCase& c) {
         c.machines.messages = {{4, {}}, {4, {}}};
       },
       "ascending"},
      {[](ParallelCase& c) { c.choices.spatial_layers = 3; }, "the network has 2"},
      {[](ParallelCase& c) {
         c.choices.stages = {1, 2};
       },
       "layers of all stages is 3"},
      {[](ParallelCase& c) {
         c.choices.stages = {2, 0};
       },
       "layers of a stage is 0"},
      {[](ParallelCase& c) { c.training.batch_size = 1001; }, "from 1 to 1000"},
  };
  for (const Change& change : changes) {
    ParallelCase question = tableCase();
    change.make(question);
    checkRejected(question, change.complaint);
  }
}

BOOST_AUTO_TEST_CASE(members_must_be_possible) {
  for (const std::int64_t bad : {std::int64_t{0}, std::int64_t{-1}, kMostMembers + 1, kMost}) {
    BOOST_TEST(!rankStrategies(tableCase(), bad));
    BOOST_TEST(!assess(tableCase(), Strategy::kData, {bad, 1}));
    BOOST_TEST(!assess(tableCase(), Strategy::kData, {bad, bad}));
  }
}

BOOST_AUTO_TEST_CASE(a_time_or_memory_beyond_numbers_is_no_answer) {
  ParallelCase question = tableCase();
  question.network.layers[0].weight_items = 1e308;
  checkRejected(question, "too large for a number");
  question = tableCase();
  question.network.layers[1].forward_seconds = 1e308;
  checkRejected(question, "too large for a number");
}

BOOST_AUTO_TEST_CASE(more_memory_than_bytes_can_be_counted_is_refused_in_words) {
  ParallelCase question = tableCase();
  question.machines.memory_bytes = 16e9;
  question.network.layers[0].input_items = 1e300;
  const auto data = assess(question, Strategy::kData, {2, 1});
  BOOST_REQUIRE(data);
  BOOST_TEST((data->refusal->obstacle == Obstacle::kMemory));
}

// All divisors of 720,720 are tried for both hybrids: 240.
BOOST_AUTO_TEST_CASE(ten_thousand_layers_and_many_members_are_answered_at_once,
                     *boost::unit_test::timeout(5)) {
  ParallelCase question = tableCase();
  question.choices.stages = {};
  question.training = {.samples = 1'000'000'000, .batch_size = 1'000'000};
  question.machines.memory_bytes = 1e6;
  question.network.layers.assign(10'000, question.network.layers.front());

  const auto ranked = rankStrategies(question, 720'720);

  BOOST_REQUIRE(ranked);
  BOOST_TEST(!ranked->front().isFeasible());
  for (const Assessment& assessed : *ranked)
    BOOST_TEST(!assessed.refusal->text.empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::parallel_test
