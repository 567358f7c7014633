// O2: the figures of the authors' tool, to the printed digits. They come from our
// formulas with the tool's inputs; what the tool gets wrong (docs/papers.md) has tests that show
// that ours differs.

#include <cmath>
#include <ostream>
#include <vector>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "planner/parallel/data_parallel.h"
#include "planner/parallel/filter.h"
#include "planner/parallel/spatial.h"
#include "tests/unit/planner/parallel/cases.h"

namespace sumac::planner::parallel_test {
namespace {

constexpr double kVggSeconds = 8.245589e-3;  // forward, backward and update of a sample, profiled
constexpr double kResnetSeconds = 3.119502e-3;  // the same
constexpr std::int64_t kVggSamples = 32;        // a member
constexpr std::int64_t kResnetSamples = 64;

struct DataRow {
  std::int64_t members;
  double computation_seconds;
  double communication_seconds;
};
struct FilterRow {
  std::int64_t members;
  double communication_seconds;
};

std::ostream& operator<<(std::ostream& out, const DataRow& row) {
  return out << row.members << " members";
}
std::ostream& operator<<(std::ostream& out, const FilterRow& row) {
  return out << row.members << " members";
}

const std::vector kVggRows{
    DataRow{2, 5277.1770, 272.0423}, DataRow{4, 2638.5885, 204.3017},
    DataRow{16, 659.6471, 256.9754}, DataRow{64, 164.9118, 69.2462},
    DataRow{256, 41.2279, 19.4756},  DataRow{1024, 10.3070, 6.8781},
};
const std::vector kResnetRows{
    DataRow{2, 1996.4813, 18.3672}, DataRow{4, 998.2406, 13.9104}, DataRow{16, 249.5602, 18.1871},
    DataRow{64, 62.3900, 5.6783},   DataRow{256, 15.5975, 2.3931}, DataRow{1024, 3.8994, 1.5584},
};
const std::vector kVggFilterRows{FilterRow{4, 3253.712}, FilterRow{8, 15318.413},
                                 FilterRow{32, 18059.015}, FilterRow{64, 19839.723}};
const std::vector kResnetFilterRows{FilterRow{4, 2175.157}, FilterRow{8, 10404.074},
                                    FilterRow{32, 13590.637}, FilterRow{64, 16616.849}};

/// Whether a figure prints as it was printed: it is at most half of the last digit away.
void checkPrinted(double ours, double printed, double last_digit) {
  constexpr double kRounding = 1e-9;  // of binary fractions
  BOOST_TEST(std::abs(ours - printed) <= last_digit / 2 + kRounding,
             ours << " prints as " << printed);
}

void checkData(const NetworkCost& network, double seconds, std::int64_t samples,
               const DataRow& row) {
  const ParallelCase question = toolCase(network, seconds, samples * row.members);
  const EpochTime time = dataParallel(question, row.members).time;
  checkPrinted(time.computation(), row.computation_seconds, 1e-4);
  checkPrinted(time.communication(), row.communication_seconds, 1e-4);
}

void checkFilter(const NetworkCost& network, std::int64_t samples, const FilterRow& row) {
  ParallelCase question = toolCase(network, 0, samples);
  question.choices.divided_layers = DividedLayers::kConvolutions;
  const EpochTime time = dataFilterParallel(question, {1, row.members}).time;
  checkPrinted(time.communication(), row.communication_seconds, 1e-3);
}

struct Sums {
  double inputs = 0;
  double outputs = 0;
  double weights = 0;
  double convolution_outputs = 0;
  int convolutions = 0;
};

Sums sumsOf(const NetworkCost& network) {
  Sums sums;
  for (const LayerCost& layer : network.layers) {
    sums.inputs += layer.input_items;
    sums.outputs += layer.output_items;
    sums.weights += layer.weight_items;
    if (layer.kind != LayerKind::kConvolution) continue;
    sums.convolution_outputs += layer.output_items;
    ++sums.convolutions;
  }
  return sums;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(published_figures)

BOOST_AUTO_TEST_CASE(o2_layer_shapes_add_up_to_the_tools_inputs) {
  const Sums vgg = sumsOf(toolVgg16());
  BOOST_TEST(vgg.inputs == 15'705'164);
  BOOST_TEST(vgg.outputs == 15'552'936);
  BOOST_TEST(vgg.weights == 169'801'408);
  BOOST_TEST(vgg.convolution_outputs == 13'939'200);
  BOOST_TEST(vgg.convolutions == 13);

  const Sums resnet = sumsOf(toolResnet50());
  BOOST_TEST(resnet.inputs == 14'971'596);
  BOOST_TEST(resnet.outputs == 14'819'368);
  BOOST_TEST(resnet.weights == 22'734'016);
  BOOST_TEST(resnet.convolution_outputs == 9'096'256);
  BOOST_TEST(resnet.convolutions == 49);
}

BOOST_DATA_TEST_CASE(o2_vgg16_data_parallel_prints_as_the_tool_does, kVggRows, row) {
  checkData(toolVgg16(), kVggSeconds, kVggSamples, row);
}

BOOST_DATA_TEST_CASE(o2_resnet50_data_parallel_prints_as_the_tool_does, kResnetRows, row) {
  checkData(toolResnet50(), kResnetSeconds, kResnetSamples, row);
}

BOOST_DATA_TEST_CASE(o2_vgg16_filter_parallel_prints_as_the_tool_does, kVggFilterRows, row) {
  checkFilter(toolVgg16(), kVggSamples, row);
}

BOOST_DATA_TEST_CASE(o2_resnet50_filter_parallel_prints_as_the_tool_does, kResnetFilterRows, row) {
  checkFilter(toolResnet50(), kResnetSamples, row);
}

BOOST_AUTO_TEST_CASE(o2_memory_of_data_parallel_is_the_tools_to_the_byte) {
  for (const std::int64_t members : {1, 2, 1024}) {
    const auto vgg = toolCase(toolVgg16(), kVggSeconds, kVggSamples * members);
    const auto resnet = toolCase(toolResnet50(), kResnetSeconds, kResnetSamples * members);
    BOOST_TEST(dataParallel(vgg, members).memory_bytes == 9'360'484'864);
    BOOST_TEST(dataParallel(resnet, members).memory_bytes == 15'434'845'696);
  }
}

// The tool divides the weights by p twice. By the table it is once.
BOOST_AUTO_TEST_CASE(o2_filter_memory_divides_the_weights_once_unlike_the_tool) {
  const auto question = toolCase(toolVgg16(), 0, kVggSamples);
  const Sums vgg = sumsOf(question.network);
  const double activations = 32 * (vgg.inputs + vgg.outputs);

  const double ours = dataFilterParallel(question, {1, 4}).memory_bytes;

  BOOST_TEST(ours == 8 * (activations + vgg.weights / 4));
  const double of_the_tool = 8 * (activations + vgg.weights / 4 / 4);
  BOOST_TEST(ours - of_the_tool == 8 * vgg.weights * 3 / 16);
}

// The tool takes only the width of a picture for its halo, and rounds D / p1 up.
BOOST_AUTO_TEST_CASE(o2_spatial_halo_has_all_channels_and_shares_are_not_rounded_unlike_the_tool) {
  ParallelCase question = toolCase(toolVgg16(), kVggSeconds, 3 * kVggSamples);
  question.training.samples = 1'000'000;                    // not a multiple of 3
  const LayerCost& second = question.network.layers.at(2);  // conv, 64 x 226 x 226, after a relu
  BOOST_TEST(second.input_halo_items == 64 * 226);
  BOOST_TEST(second.output_halo_items == 64 * 226);

  question.choices.spatial_layers = question.network.layers.size();
  const double computed = dataSpatialParallel(question, {3, 4}).time.computation();
  BOOST_TEST(computed == 1e6 / 12 * kVggSeconds, boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::parallel_test
