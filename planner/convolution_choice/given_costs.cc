#include "planner/convolution_choice/given_costs.h"

#include <charconv>
#include <set>
#include <utility>

#include "base/core/day.h"
#include "base/yaml/scalar.h"
#include "job/document/table_document.h"

namespace sumac::planner {
namespace {

using job::Field;
using job::Type;
using yaml::Node;

constexpr int kMostLayers = 10'000;
constexpr int kMostAlgorithms = 32;
constexpr int kLongestName = 200;  // layers of residuals have long ones
constexpr int kLongestSource = 500;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 48;  // 10,000 of them fit into 64 bits

Field bytes(std::string text) {
  return {.name = "workspaceBytes",
          .type = Type::kInteger,
          .text = std::move(text),
          .required = true,
          .minimum = 0,
          .maximum = kMostBytes};
}

Field layer() {
  Field algorithm = {.name = "algorithm",
                     .text = "One algorithm.",
                     .fields = {job::itemName("What the plan calls it.", kLongestName),
                                {.name = "seconds",
                                 .type = Type::kDecimal,
                                 .text = "That the layer takes with it, for one mini-batch.",
                                 .required = true,
                                 .range = {.at_least = "0", .below = "1e6"}},
                                bytes("Memory that it needs beside values and weights.")}};
  return {.name = "layer",
          .text = "One convolution.",
          .fields = {job::itemName("Its name in the network, as `sumac models show` prints it.",
                                   kLongestName),
                     {.name = "algorithms",
                      .type = Type::kList,
                      .text = "Those among which it has the choice.",
                      .required = true,
                      .max_length = kMostAlgorithms,
                      .fields = {std::move(algorithm)}}}};
}

Field spec() {
  return {.name = "spec",
          .text = "The costs.",
          .required = true,
          .fields = {{.name = "source",
                      .type = Type::kString,
                      .text = "Where they are from, so that somebody else can look them up or "
                              "measure them again.",
                      .required = true,
                      .max_length = kLongestSource},
                     {.name = "date",
                      .type = Type::kString,
                      .text = "The day on which they were measured or read, such as 2026-11-22.",
                      .required = true,
                      .pattern = {"^20[0-9]{2}-[0-9]{2}-[0-9]{2}$", isDay}},
                     bytes("That the workspaces of all layers together may have."),
                     {.name = "layers",
                      .type = Type::kList,
                      .text = "One for each convolution of the network.",
                      .required = true,
                      .max_length = kMostLayers,
                      .fields = {layer()}}}};
}

Field makeRoot() {
  return job::documentTable(
      "ConvolutionCosts",
      "What the algorithms of a network's convolutions cost, for the integer program "
      "of Zou et al. (2017) that `sumac plan --convolutions` solves.",
      job::nameOnly("The name of these costs.", "What messages call them."), spec());
}

/// Turns a document that fits the table into costs, and finds what the table cannot.
class Converter {
 public:
  explicit Converter(std::string_view file) : file_(file) {}

  GivenCostsReading convert(const Node& spec) {
    GivenCosts costs{.convolutions = {},
                     .bound_bytes = yaml::integerOf(*spec.find("workspaceBytes")).value_or(0),
                     .source = spec.find("source")->text,
                     .date = spec.find("date")->text};
    if (costs.source.find_first_not_of(" \t\r\n") == std::string::npos)
      report(*spec.find("source"), "spec.source", "is blank; say where the costs are from");
    eachOf(*spec.find("layers"), "spec.layers", [&](const Node& layer, const std::string& path) {
      ConvolutionAlgorithms& one = costs.convolutions.emplace_back();
      one.layer = layer.find("name")->text;
      eachOf(*layer.find("algorithms"), path + ".algorithms",
             [&](const Node& cost, const std::string&) { one.algorithms.push_back(costOf(cost)); });
    });
    if (reading_.problems.empty()) reading_.costs = std::move(costs);
    return std::move(reading_);
  }

 private:
  static AlgorithmCost costOf(const Node& node) {
    AlgorithmCost cost;
    cost.name = node.find("name")->text;
    const std::string& seconds = node.find("seconds")->text;
    std::from_chars(seconds.data(), seconds.data() + seconds.size(), cost.seconds);
    cost.workspace_bytes = yaml::integerOf(*node.find("workspaceBytes")).value_or(0);
    return cost;
  }

  /// Of a list with at least one item, no two of the same name.
  template <typename Take>
  void eachOf(const Node& list, const std::string& path, Take take) {
    if (list.items.empty()) report(list, path, "needs at least one item");
    std::set<std::string> names;
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      const Node& item = list.items[i];
      const std::string item_path = path + "[" + std::to_string(i) + "]";
      const Node& name = *item.find("name");
      if (!names.insert(name.text).second)
        report(name, item_path + ".name", "another one is called `" + name.text + "` too");
      take(item, item_path);
    }
  }

  void report(const Node& node, const std::string& path, std::string message) {
    reading_.problems.push_back(
        {file_, node.position.line, node.position.column, path, std::move(message)});
  }

  const std::string file_;
  GivenCostsReading reading_;
};

}  // namespace

const job::Field& convolutionCostsField() {
  static const Field kRoot = makeRoot();
  return kRoot;
}

GivenCostsReading readGivenCosts(std::string_view text, std::string_view file) {
  job::TableDocument document =
      job::readTable(convolutionCostsField(), "ConvolutionCosts", text, file);
  if (!document.root) return {{}, std::move(document.problems)};
  return Converter(file).convert(*document.root->find("spec"));
}

}  // namespace sumac::planner
