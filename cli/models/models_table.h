#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/model/network.h"

namespace sumac::cli {

/// A network of the zoo and what it is for.
struct ListedModel {
  model::Network network;
  std::string_view purpose;
};

/// One line a network.
std::string listTable(const std::vector<ListedModel>& models);

/// One line a layer, and the sums.
std::string layerTable(const model::Network& network);

}  // namespace sumac::cli
