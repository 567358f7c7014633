#pragma once

#include <string>
#include <utility>
#include <vector>

#include "job/model/network.h"

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

}  // namespace sumac::model
