#pragma once

#include <numeric>
#include <vector>

#include "job/model/network.h"

namespace sumac::checkpoint {

/// A network of a 2x3 weight and a bias of 2, as far as a checkpoint looks at one.
inline model::Network twoTensors() {
  model::Network network;
  network.name = "two";
  model::Tensor weight;
  weight.name = "fc.weight";
  weight.shape = {2, 3};
  model::Tensor bias;
  bias.name = "fc.bias";
  bias.shape = {2};
  bias.offset = 6;
  network.tensors = {weight, bias};
  network.parameters = 8;
  return network;
}

/// `first`, first + 1, ...: one value a parameter.
inline std::vector<float> countingFrom(float first) {
  std::vector<float> values(8);
  std::iota(values.begin(), values.end(), first);
  return values;
}

}  // namespace sumac::checkpoint
