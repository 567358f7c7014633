#include <array>
#include <string_view>

#include <boost/test/unit_test.hpp>

#include "tests/unit/job/model/networks.h"

namespace sumac::model::zoo_test {
namespace {

/// Counted by hand from the papers' layer lists.
struct Figures {
  std::string_view name;
  std::int64_t parameters;
  std::int64_t macs;  // forward, of one sample
};

constexpr std::array kFigures{
    Figures{"lenet5", 61'706, 416'520},
    Figures{"lenet5-mxnet", 431'080, 2'293'000},
    Figures{"cifar10-quick", 145'578, 12'354'176},
    Figures{"ptb-lstm-small", 4'651'600, 20 * 2'640'000},  // 20 time steps
    Figures{"alexnet", 60'965'224, 724'406'816},
    Figures{"alexnet-ungrouped", 62'378'344, 1'135'256'096},
    Figures{"alexnet-owt", 61'100'840, 714'188'480},
    Figures{"overfeat-fast", 145'920'872, 2'801'403'904},
    Figures{"vgg-a", 132'863'336, 7'609'090'048},
    Figures{"vgg16", 138'357'544, 15'470'264'320},
    Figures{"resnet50", 25'557'032, 4'089'184'256},
    Figures{"resnet152", 60'192'808, 11'513'626'624},
    Figures{"cd-dnn", 45'122'648, 45'099'008},
};

/// "conv1 34944 105415200" for each layer with weights.
std::string weightedLayers(const Network& network) {
  std::string lines;
  for (const Layer& layer : network.layers) {
    if (layer.tensors.empty()) continue;
    std::int64_t parameters = 0;
    for (const int index : layer.tensors)
      parameters += network.tensors.at(static_cast<std::size_t>(index)).count();
    lines += layer.spec.name + " " + std::to_string(parameters) + " " + std::to_string(layer.macs) +
             "\n";
  }
  return lines;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(zoo)

BOOST_AUTO_TEST_CASE(has_the_parameters_and_multiply_accumulates_of_the_papers) {
  BOOST_TEST(zooNames().size() == kFigures.size());
  for (const Figures& figures : kFigures) {
    BOOST_TEST_CONTEXT(figures.name) {
      const auto spec = fromZoo(figures.name);
      BOOST_REQUIRE(spec);
      BOOST_TEST(spec->name == figures.name);
      const auto network = resolve(*spec);
      BOOST_REQUIRE(network);
      BOOST_TEST(network->parameters == figures.parameters);
      BOOST_TEST(network->forward_macs == figures.macs);
    }
  }
}

BOOST_AUTO_TEST_CASE(has_alexnets_layers_as_published) {
  const auto network = resolve(*fromZoo("alexnet"));

  BOOST_REQUIRE(network);
  BOOST_TEST(weightedLayers(*network) ==
             "conv1 34944 105415200\nconv2 307456 223948800\nconv3 885120 149520384\n"
             "conv4 663936 112140288\nconv5 442624 74760192\n"
             "dense1 37752832 37748736\ndense2 16781312 16777216\ndense3 4097000 4096000\n");
}

BOOST_AUTO_TEST_CASE(has_the_layers_of_the_small_lstm_as_published) {
  const auto network = resolve(*fromZoo("ptb-lstm-small"), {.unroll = 1});

  BOOST_REQUIRE(network);
  BOOST_TEST(weightedLayers(*network) ==
             "embedding1 2000000 0\nlstm1 641600 640000\ndense1 2010000 2000000\n");
}

BOOST_AUTO_TEST_CASE(has_residual_networks_with_as_many_statistics_as_scales_and_shifts) {
  BOOST_TEST(resolve(*fromZoo("resnet50"))->statistics == 53'120);
  BOOST_TEST(resolve(*fromZoo("resnet152"))->statistics == 151'424);
}

BOOST_AUTO_TEST_CASE(takes_another_vocabulary_for_text) {
  const auto network = resolve(*fromZoo("ptb-lstm-small"), {.vocabulary = 6022});

  BOOST_REQUIRE(network);
  BOOST_TEST(network->parameters == 4'651'600 - (10'000 - 6022) * 401);
}

BOOST_AUTO_TEST_CASE(lists_the_names_there_are_for_an_unknown_one) {
  const auto spec = fromZoo("lenet");

  BOOST_REQUIRE(!spec);
  BOOST_TEST(spec.error().code == ErrorCode::kNotFound);
  for (const std::string& name : zooNames())
    BOOST_TEST(spec.error().message.find(name) != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::model::zoo_test
