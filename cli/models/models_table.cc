#include "cli/models/models_table.h"

#include <cstdint>

#include "common/base/table.h"

namespace sumac::cli {
namespace {

constexpr const char* kMacs =
    "MACS: multiply-accumulates of one sample's forward pass, all time steps of a text; training "
    "takes about three times as many.";

/// "61,706".
std::string grouped(std::int64_t number) {
  std::string text = std::to_string(number);
  for (std::ptrdiff_t at = std::ssize(text) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), 1, ',');
  return text;
}

/// "1x28x28", of text "20 of 10,000 words".
std::string inputOf(const model::Network& network) {
  if (!network.isText()) return model::toString(network.input);
  return model::toString(network.input) + " of " + grouped(network.vocabulary()) + " words";
}

std::int64_t parametersOf(const model::Layer& layer, const model::Network& network) {
  std::int64_t parameters = 0;
  for (const int tensor : layer.tensors)
    parameters += network.tensors.at(static_cast<std::size_t>(tensor)).count();
  return parameters;
}

/// Nothing rather than 0, so that the figures stand out.
std::string figure(std::int64_t number) {
  return number == 0 ? "" : grouped(number);
}

/// Figures flush right in their column.
void alignRight(std::vector<std::vector<std::string>>& rows, std::vector<std::string>& header,
                std::size_t column) {
  std::size_t width = header[column].size();
  for (const auto& row : rows)
    width = std::max(width, row[column].size());
  const auto pad = [width, column](std::vector<std::string>& row) {
    row[column].insert(0, width - row[column].size(), ' ');
  };
  pad(header);
  for (auto& row : rows)
    pad(row);
}

}  // namespace

std::string listTable(const std::vector<ListedModel>& models) {
  std::vector<std::string> header{"NAME", "INPUT", "PARAMETERS", "MACS", "FOR"};
  std::vector<std::vector<std::string>> rows;
  for (const auto& [network, purpose] : models) {
    rows.push_back({network.name, inputOf(network), grouped(network.parameters),
                    grouped(network.forward_macs), std::string(purpose)});
  }
  for (const std::size_t column : {2U, 3U})
    alignRight(rows, header, column);
  return table(header, rows) + "\n" + kMacs + "\nsumac models show NAME: a network's layers\n";
}

std::string layerTable(const model::Network& network) {
  std::vector<std::string> header{"LAYER", "TYPE", "OUTPUT", "PARAMETERS", "MACS"};
  std::vector<std::vector<std::string>> rows;
  for (const model::Layer& layer : network.layers) {
    rows.push_back({layer.spec.name, std::string(model::kindName(layer.spec.kind)),
                    model::toString(layer.output), figure(parametersOf(layer, network)),
                    figure(layer.macs)});
  }
  rows.push_back({"total", "", "", grouped(network.parameters), grouped(network.forward_macs)});
  for (const std::size_t column : {3U, 4U})
    alignRight(rows, header, column);
  std::string text = network.name + ", input " + inputOf(network) + "\n\n" + table(header, rows);
  if (network.recurrent > 0) {
    text += "\nA stream of text keeps " + grouped(network.recurrent) +
            " values of state from step to step.\n";
  }
  if (network.statistics > 0) {
    text += "\nA part of the mini-batch has " + grouped(network.statistics) +
            " values of running statistics.\n";
  }
  return text + "\n" + kMacs + "\n";
}

}  // namespace sumac::cli
