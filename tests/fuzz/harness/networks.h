#pragma once

#include "base/core/check.h"
#include "job/model/network.h"

namespace sumac::fuzz {

/// A network of a 2x3 weight and a bias of 2.
inline model::Network twoTensors() {
  model::NetworkSpec spec{"two", {3}, {{"fc", model::Dense{2}, {}}, {"loss", {}, {}}}, 0};
  spec.layers[1].kind = model::SoftmaxCrossEntropy{};
  auto network = model::resolve(spec);
  SUMAC_CHECK(network.has_value(), network ? "" : network.error().message);
  return *std::move(network);
}

/// An embedding of three words, an LSTM of two outputs and its classifier: files hold its tensors
/// in another order.
inline model::Network smallLstm() {
  model::NetworkSpec spec{"lstm", {2}, {}, 3};
  spec.layers = {{"words", model::Embedding{2}, {}},
                 {"lstm1", model::Lstm{2}, {}},
                 {"fc", model::Dense{0}, {}},
                 {"loss", model::SoftmaxCrossEntropy{}, {}}};
  auto network = model::resolve(spec);
  SUMAC_CHECK(network.has_value(), network ? "" : network.error().message);
  return *std::move(network);
}

}  // namespace sumac::fuzz
