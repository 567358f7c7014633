// O3: the last column of the table of Kahira et al.

#include "planner/parallel/limits.h"

#include <boost/test/unit_test.hpp>

#include "tests/papers/architectures.h"
#include "tests/unit/planner/parallel/cases.h"

namespace sumac::planner::parallel_test {
namespace {

ParallelCase caseOf(const char* name, std::int64_t batch_size) {
  ParallelCase question = tableCase();
  question.choices.stages = {};
  question.network = networkCost(*papers::architecture(name)).value();
  question.training = {.samples = 1'280'000, .batch_size = batch_size};
  return question;
}

std::int64_t mostOf(const ParallelCase& question, Strategy strategy) {
  return memberLimit(question, strategy).most;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(member_limits)

BOOST_AUTO_TEST_CASE(o3_data_parallel_members_have_a_sample_each) {
  const ParallelCase question = caseOf("vgg16-kahira", 32);
  BOOST_TEST(mostOf(question, Strategy::kData) == 32);
  BOOST_TEST(!brokenLimit(question, Strategy::kData, {32, 1}).has_value());
  BOOST_TEST(brokenLimit(question, Strategy::kData, {33, 1}).has_value());
}

BOOST_AUTO_TEST_CASE(o3_filter_parallel_members_have_a_filter_each) {
  for (const char* name : {"vgg16", "vgg16-kahira", "resnet50", "resnet50-v1"}) {
    BOOST_TEST(mostOf(caseOf(name, 32), Strategy::kFilter) == 64);
    BOOST_TEST(!brokenLimit(caseOf(name, 32), Strategy::kFilter, {1, 64}).has_value());
    BOOST_TEST(brokenLimit(caseOf(name, 32), Strategy::kFilter, {1, 65}).has_value());
  }
}

// Of the first layer, pictures have three channels.
BOOST_AUTO_TEST_CASE(o3_channels_are_divided_from_the_second_layer_on) {
  BOOST_TEST(mostOf(caseOf("vgg16", 32), Strategy::kChannel) == 64);
  BOOST_TEST(mostOf(caseOf("resnet50", 32), Strategy::kChannel) == 64);
  BOOST_TEST(mostOf(caseOf("cosmoflow", 32), Strategy::kChannel) == 16);
}

BOOST_AUTO_TEST_CASE(o3_pipelines_have_a_layer_a_stage) {
  const ParallelCase question = caseOf("resnet50", 32);
  const auto layers = static_cast<std::int64_t>(question.network.layers.size());
  BOOST_TEST(mostOf(question, Strategy::kPipeline) == layers);
  BOOST_TEST(mostOf(question, Strategy::kLayer) == layers);
  BOOST_TEST(brokenLimit(question, Strategy::kPipeline, {1, layers + 1}).has_value());
}

// The smallest pictures of the layers that are divided, those before the dense ones.
BOOST_AUTO_TEST_CASE(o3_spatial_members_have_a_position_each) {
  BOOST_TEST(mostOf(caseOf("vgg16-kahira", 32), Strategy::kSpatial) == 15 * 15);
  BOOST_TEST(mostOf(caseOf("resnet50", 32), Strategy::kSpatial) == 7 * 7);
  BOOST_TEST(mostOf(caseOf("cd-dnn", 32), Strategy::kSpatial) == 1);
  // Of CosmoFlow, the paper divides the layers up to the second pool: 253^3 positions go into it.
  ParallelCase cosmoflow = caseOf("cosmoflow", 1);
  cosmoflow.choices.spatial_layers = 4;
  BOOST_TEST(mostOf(cosmoflow, Strategy::kSpatial) == 253LL * 253 * 253);
}

BOOST_AUTO_TEST_CASE(o3_hybrids_are_bound_in_both_directions) {
  const ParallelCase question = caseOf("vgg16-kahira", 32);
  BOOST_TEST(mostOf(question, Strategy::kDataFilter) == 32 * 64);
  BOOST_TEST(mostOf(question, Strategy::kDataSpatial) == 32 * 225);
  BOOST_TEST(!brokenLimit(question, Strategy::kDataFilter, {32, 64}).has_value());
  BOOST_TEST(brokenLimit(question, Strategy::kDataFilter, {33, 1}).has_value());
  BOOST_TEST(brokenLimit(question, Strategy::kDataFilter, {1, 65}).has_value());
  BOOST_TEST(brokenLimit(question, Strategy::kDataSpatial, {1, 226}).has_value());
}

BOOST_AUTO_TEST_CASE(layers_that_are_not_divided_do_not_limit) {
  ParallelCase question = caseOf("lenet5", 32);
  const MemberLimit filters = memberLimit(question, Strategy::kFilter);
  BOOST_TEST((filters.parts.front().of == PartKind::kFilters));
  BOOST_TEST(filters.parts.front().layer == "conv1");
  BOOST_TEST(filters.parts.front().count == 6);
  question.choices.divided_layers = DividedLayers::kConvolutions;
  BOOST_TEST(mostOf(question, Strategy::kFilter) == 6);
  BOOST_TEST(mostOf(caseOf("cd-dnn", 32), Strategy::kFilter) == 2048);
  ParallelCase dense = caseOf("cd-dnn", 32);
  dense.choices.divided_layers = DividedLayers::kConvolutions;
  BOOST_TEST(mostOf(dense, Strategy::kFilter) == 1);
}

BOOST_AUTO_TEST_CASE(a_broken_limit_says_why) {
  const auto inside = brokenLimit(caseOf("vgg16-kahira", 32), Strategy::kDataFilter, {1, 65});
  BOOST_TEST((inside->obstacle == Obstacle::kMembers));
  BOOST_TEST(inside->strategy == Strategy::kFilter);
  BOOST_TEST(inside->found == 65);
  BOOST_TEST(inside->limit.most == 64);
  ParallelCase small = caseOf("resnet50", 4);
  small.choices.segments = 5;
  const auto cut = brokenLimit(small, Strategy::kPipeline, {1, 2});
  BOOST_TEST((cut->obstacle == Obstacle::kSegments));
  BOOST_TEST(cut->found == 5);
  BOOST_TEST(cut->limit.most == 4);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::parallel_test
