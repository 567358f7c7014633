#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "job/model/network.h"
#include "tests/support/golden.h"

namespace sumac::model {

/// A network of these layers, each named by kind and ordinal.
inline NetworkSpec aNetwork(Shape input, const std::vector<LayerKind>& kinds) {
  NetworkSpec spec{"test", std::move(input), {}};
  for (const LayerKind& kind : kinds)
    spec.layers.push_back({{}, kind, {}});
  nameLayers(spec.layers);
  return spec;
}

/// Layers without names.
inline std::vector<LayerSpec> chain(const std::vector<LayerKind>& kinds) {
  std::vector<LayerSpec> layers;
  for (const LayerKind& kind : kinds)
    layers.push_back({{}, kind, {}});
  return layers;
}

inline std::string messageOf(const NetworkSpec& spec, TextExtents text = {}) {
  const auto network = resolve(spec, text);
  return network ? "no failure" : network.error().message;
}

/// A network that is refused, with the layer that its message is about; "": none.
struct Refused {
  const char* layer;
  NetworkSpec spec;
  TextExtents text = {};
};

/// Compares what is said of them with a golden file.
inline void checkRefused(std::string_view golden, const std::vector<Refused>& cases) {
  test::Transcript said;
  for (const auto& [layer, spec, text] : cases) {
    const auto network = resolve(spec, text);
    BOOST_TEST_REQUIRE(!network.has_value(), layer);
    const std::string start = *layer == '\0' ? "" : "layer " + std::string(layer) + " (";
    BOOST_TEST(network.error().message.starts_with(start), network.error().message);
    said.add("input " + toString(spec.input), network.error().message);
  }
  test::checkGolden(golden, said.text());
}

}  // namespace sumac::model
