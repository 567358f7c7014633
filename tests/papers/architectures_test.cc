#include "tests/papers/architectures.h"

#include <array>
#include <cstdint>
#include <set>

#include <boost/test/unit_test.hpp>

namespace sumac::planner::papers::architectures_test {
namespace {

/// Counted by hand from the papers' layer lists. MACs: forward, of one sample.
struct Figures {
  std::string_view name;
  std::int64_t parameters;
  std::int64_t macs;
  std::int64_t convolution_parameters;  // weights and biases
  std::int64_t dense_parameters;
  double convolution_gmacs;  // to the digits that are known
};

constexpr std::array kFigures{
    Figures{"lenet5", 61'706, 416'520, 2'572, 59'134, 0.0003576},
    Figures{"lenet5-mxnet", 431'080, 2'293'000, 25'570, 405'510, 0.001888},
    Figures{"lenet-tf-tutorial", 3'274'634, 13'883'904, 52'096, 3'222'538, 0.0106624},
    Figures{"lenet-tf-models", 1'663'370, 12'273'152, 52'096, 1'611'274, 0.0106624},
    Figures{"ptb-lstm-small", 4'651'600, 20 * 2'640'000, 0, 2'010'000, 0},
    Figures{"alexnet", 60'965'224, 724'406'816, 2'334'080, 58'631'144, 0.6658},
    Figures{"alexnet-ungrouped", 62'378'344, 1'135'256'096, 3'747'200, 58'631'144, 1.0766},
    Figures{"alexnet-owt", 61'100'840, 714'188'480, 2'469'696, 58'631'144, 0.6556},
    Figures{"overfeat-fast", 145'920'872, 2'801'403'904, 15'987'584, 129'933'288, 2.6715},
    Figures{"vgg-a", 132'863'336, 7'609'090'048, 9'220'480, 123'642'856, 7.4855},
    Figures{"vgg16", 138'357'544, 15'470'264'320, 14'714'688, 123'642'856, 15.3466},
    Figures{"vgg16-kahira", 169'814'824, 16'294'304'512, 14'714'688, 155'100'136, 16.1392},
    Figures{"resnet50", 25'557'032, 4'089'184'256, 23'454'912, 2'049'000, 4.0871},
    Figures{"resnet50-v1", 25'557'032, 3'857'973'248, 23'454'912, 2'049'000, 3.8559},
    Figures{"resnet152", 60'192'808, 11'513'626'624, 57'992'384, 2'049'000, 11.5116},
    Figures{"resnet152-v1", 60'192'808, 11'282'415'616, 57'992'384, 2'049'000, 11.2804},
    Figures{"cd-dnn", 45'122'648, 45'099'008, 0, 45'122'648, 0},
    Figures{"cosmoflow", 2'131'252, 472'306'170'880, 1'341'488, 789'764, 472.3},
};

std::int64_t parametersOf(const LayerList& list, LayerKind kind) {
  std::int64_t sum = 0;
  for (const Layer& layer : list.layers)
    sum += layer.kind == kind ? layer.parameters() : 0;
  return sum;
}

double convolutionGigamacs(const LayerList& list) {
  double sum = 0;
  for (const Layer& layer : list.layers)
    sum += layer.kind == LayerKind::kConvolution ? static_cast<double>(layer.macs) : 0;
  return sum / 1e9;
}

/// "conv1 6x28x28 156": output and parameters of each layer with parameters.
std::string layersOf(const LayerList& list) {
  std::string lines;
  for (const Layer& layer : list.layers) {
    if (layer.parameters() == 0) continue;
    lines += layer.name + " " + std::to_string(layer.output_channels);
    for (const std::int64_t extent : layer.output_extents)
      lines += "x" + std::to_string(extent);
    lines += " " + std::to_string(layer.parameters()) + "\n";
  }
  return lines;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(p1_architectures)

BOOST_AUTO_TEST_CASE(p1_counts_of_parameters_and_macs_follow_from_the_layer_lists) {
  for (const Figures& figures : kFigures) {
    BOOST_TEST_CONTEXT(figures.name) {
      const auto list = architecture(figures.name);

      BOOST_REQUIRE(list);
      BOOST_TEST(list->parameters() == figures.parameters);
      BOOST_TEST(list->macs() == figures.macs);
      BOOST_TEST(parametersOf(*list, LayerKind::kConvolution) == figures.convolution_parameters);
      BOOST_TEST(parametersOf(*list, LayerKind::kDense) == figures.dense_parameters);
      BOOST_TEST(convolutionGigamacs(*list) == figures.convolution_gmacs,
                 boost::test_tools::tolerance(1e-4));
      BOOST_TEST(!list->source.empty());
      BOOST_TEST(checkLayers(*list).has_value());
    }
  }
}

BOOST_AUTO_TEST_CASE(p1_every_architecture_but_the_zoos_own_has_figures) {
  std::set<std::string> names;
  for (const std::string& name : architectureNames())
    names.insert(name);
  for (const Figures& figures : kFigures)
    names.erase(std::string(figures.name));

  BOOST_TEST(names == std::set<std::string>{"cifar10-quick"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(p1_lenet5_and_cosmoflow_have_their_layers) {
  BOOST_TEST(layersOf(*architecture("lenet5")) ==
             "conv1 6x28x28 156\nconv2 16x10x10 2416\n"
             "dense1 120 48120\ndense2 84 10164\ndense3 10 850\n");
  BOOST_TEST(layersOf(*architecture("cosmoflow")) ==
             "conv1 16x510x510x510 1744\nconv2 32x253x253x253 13856\nconv3 64x62x62x62 55360\n"
             "conv4 128x29x29x29 221312\nconv5 256x13x13x13 262400\nconv6 256x5x5x5 524544\n"
             "conv7 128x1x1x1 262272\ndense1 2048 264192\ndense2 256 524544\ndense3 4 1028\n");
}

BOOST_AUTO_TEST_CASE(p1_cosmoflows_first_convolution_alone_gives_eight_and_a_half_gigabytes) {
  const auto list = architecture("cosmoflow");
  BOOST_REQUIRE(list);

  constexpr double kBytesPerValue = 4;
  BOOST_TEST(static_cast<double>(list->layers[0].outputs()) * kBytesPerValue == 8.49e9,
             boost::test_tools::tolerance(1e-3));
}

BOOST_AUTO_TEST_CASE(p1_batch_normalisation_of_residual_networks_has_two_parameters_a_channel) {
  BOOST_TEST(parametersOf(*architecture("resnet50"), LayerKind::kNormalization) == 53'120);
  BOOST_TEST(parametersOf(*architecture("resnet152"), LayerKind::kNormalization) == 151'424);
}

BOOST_AUTO_TEST_CASE(p1_training_of_lenet5_takes_2263920_flops_a_sample) {
  const auto list = architecture("lenet5");
  BOOST_REQUIRE(list);

  // Forward, input gradient, weight gradient, 2 FLOP a multiply-accumulate; the first layer needs
  // no input gradient.
  BOOST_TEST(6 * list->macs() - 2 * list->layers[0].macs == 2'263'920);
}

BOOST_AUTO_TEST_CASE(an_embedding_takes_one_number_a_time_step) {
  const auto list = architecture("ptb-lstm-small");
  BOOST_REQUIRE(list);

  BOOST_TEST(list->layers[0].inputs() == 20);
  BOOST_TEST(list->layers[0].outputs() == 20 * 200);
  BOOST_TEST(list->layers[1].inputs() == 20 * 200);
}

BOOST_AUTO_TEST_CASE(an_unknown_name_gets_all_names) {
  const auto list = architecture("lenet-6");

  BOOST_REQUIRE(!list);
  BOOST_TEST(list.error().code == ErrorCode::kNotFound);
  for (const std::string& name : architectureNames())
    BOOST_TEST(list.error().message.find(name) != std::string::npos, name);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::planner::papers::architectures_test
