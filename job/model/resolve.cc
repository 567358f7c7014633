#include <algorithm>
#include <set>
#include <utility>

#include "base/core/checked.h"
#include "job/model/layer_shape.h"
#include "job/model/network.h"

namespace sumac::model {
namespace {

using internal::boundedCount;
using internal::LayerShape;
using internal::Place;

/// A layer's input: the layer that gives it (-1: the network's input), and its shape.
struct End {
  int layer = -1;
  Shape shape;
};

/// Builds a network layer by layer.
class Resolver {
 public:
  Resolver(const NetworkSpec& spec, TextExtents text) : spec_(spec) {
    network_.name = spec.name;
    network_.input = spec.input;
    place_.is_text = spec.isText();
    if (!place_.is_text) return;
    place_.vocabulary = text.vocabulary > 0 ? text.vocabulary : spec.vocabulary;
    if (text.unroll > 0 && spec.input.size() == 1) network_.input = {text.unroll};
  }

  Result<Network> run() {
    if (auto valid = checkInput(); !valid) return valid.error();
    End end{-1, network_.input};
    for (const LayerSpec& layer : spec_.layers) {
      auto next = std::holds_alternative<Residual>(layer.kind) ? addResidual(layer, end)
                                                               : addLayer(layer, "", end);
      if (!next) return next.error();
      end = std::move(*next);
    }
    if (network_.classes == 0) {
      return Error{ErrorCode::kInvalid, "network " + spec_.name +
                                            ": the last layer must be softmaxCrossEntropy, found " +
                                            lastKind()};
    }
    return std::move(network_);
  }

 private:
  Result<void> checkInput() const {
    const Shape& input = network_.input;
    const bool positive = std::all_of(input.begin(), input.end(), [](auto e) { return e >= 1; });
    const bool known = input.size() == 1 || input.size() == 3;
    if (known && positive && boundedCount(input)) return {};
    return Error{ErrorCode::kInvalid,
                 "network " + spec_.name + ": found the input shape '" + toString(input) +
                     "', must be features (of text: time steps) or channels x rows x columns, all "
                     ">= 1 and with at most 2^40 values"};
  }

  /// Adds one layer that is not a residual; `prefix` is that of the residual around it.
  Result<End> addLayer(const LayerSpec& spec, const std::string& prefix, const End& from) {
    Layer layer;
    layer.spec = spec;
    layer.spec.name = prefix + spec.name;
    layer.from = {from.layer};
    layer.input = from.shape;
    if (auto valid = checkPlace(spec, layer.spec, !prefix.empty()); !valid) return valid.error();
    place_.is_first = network_.layers.empty();
    auto shape = internal::shapeOf(layer.spec.kind, layer.input, place_);
    if (!shape) return fail(layer.spec, shape.error().message);
    if (auto valid = take(layer, std::move(*shape)); !valid) return valid.error();
    if (std::holds_alternative<SoftmaxCrossEntropy>(spec.kind)) {
      network_.classes = static_cast<int>(layer.output.back());
    }
    return append(std::move(layer));
  }

  /// Adds its layers, those of its shortcut, and the sum of both.
  Result<End> addResidual(const LayerSpec& spec, const End& from) {
    const auto& residual = std::get<Residual>(spec.kind);
    if (auto valid = checkPlace(spec, spec, /*inside=*/false); !valid) return valid.error();
    if (place_.is_text) return fail(spec, "is not available in text networks");
    if (residual.layers.empty()) return fail(spec, "needs at least one layer");
    auto end = addChain(residual.layers, spec.name + ".", from);
    if (!end) return end;
    auto shortcut = addChain(residual.shortcut, spec.name + ".shortcut.", from);
    if (!shortcut) return shortcut;
    if (end->shape != shortcut->shape) {
      return fail(spec, "its layers make the input " + toString(from.shape) + " the shape " +
                            toString(end->shape) + ", but its shortcut's shape is " +
                            toString(shortcut->shape) + "; they are added, so must agree");
    }
    Layer add;
    add.spec = {spec.name, Add{}, spec.position};
    add.from = {end->layer, shortcut->layer};
    add.input = end->shape;
    add.output = end->shape;
    return append(std::move(add));
  }

  Result<End> addChain(const std::vector<LayerSpec>& layers, const std::string& prefix, End end) {
    for (const LayerSpec& layer : layers) {
      auto next = addLayer(layer, prefix, end);
      if (!next) return next;
      end = std::move(*next);
    }
    return end;
  }

  /// Checks name and order; `named` has the whole name.
  Result<void> checkPlace(const LayerSpec& spec, const LayerSpec& named, bool inside) {
    if (!isLayerName(spec.name)) {
      return fail(named, "must be named by " + std::string(kLayerNameRule));
    }
    if (!names_.insert(named.name).second) return fail(named, "another layer has this name");
    if (network_.classes != 0) {
      return fail(named, "comes after softmaxCrossEntropy, which must be last");
    }
    if (inside && std::holds_alternative<SoftmaxCrossEntropy>(spec.kind)) {
      return fail(named, "is inside a residual, but must be the network's last layer");
    }
    return {};
  }

  Result<void> take(Layer& layer, LayerShape shape) {
    layer.output = std::move(shape.output);
    if (!boundedCount(layer.output)) {
      return fail(layer.spec, "its output " + toString(layer.output) + " of the input " +
                                  toString(layer.input) + " has more than 2^40 values");
    }
    layer.macs = shape.macs;
    const auto macs = checkedAdd(network_.forward_macs, layer.macs);
    if (!macs) return fail(layer.spec, "the network's multiply-accumulates exceed 64 bits");
    network_.forward_macs = *macs;
    layer.recurrent = {network_.recurrent, shape.recurrent};
    network_.recurrent += shape.recurrent;
    layer.statistics = {network_.statistics, shape.statistics};
    network_.statistics += shape.statistics;
    for (Tensor& tensor : shape.tensors) {
      if (network_.parameters + tensor.count() > kMaxCount) {
        return fail(layer.spec, "its weights " + toString(tensor.shape) + " for the input " +
                                    toString(layer.input) +
                                    " give the network more than 2^40 parameters");
      }
      tensor.name = layer.spec.name + "." + tensor.name;
      tensor.offset = network_.parameters;
      network_.parameters += tensor.count();
      layer.tensors.push_back(static_cast<int>(network_.tensors.size()));
      network_.tensors.push_back(std::move(tensor));
    }
    return {};
  }

  End append(Layer layer) {
    End end{static_cast<int>(network_.layers.size()), layer.output};
    network_.layers.push_back(std::move(layer));
    return end;
  }

  std::string lastKind() const {
    if (spec_.layers.empty()) return "no layers";
    const LayerSpec& last = spec_.layers.back();
    return last.name + " (" + std::string(kindName(last.kind)) + ")";
  }

  static Error fail(const LayerSpec& layer, const std::string& reason) {
    std::string place;
    if (layer.position.line > 0) {
      place =
          std::to_string(layer.position.line) + ":" + std::to_string(layer.position.column) + ": ";
    }
    return Error{ErrorCode::kInvalid, place + "layer " + layer.name + " (" +
                                          std::string(kindName(layer.kind)) + "): " + reason};
  }

  const NetworkSpec& spec_;  // outlives us
  Network network_;
  Place place_;
  std::set<std::string> names_;
};

}  // namespace

Result<Network> resolve(const NetworkSpec& spec, TextExtents text) {
  return Resolver(spec, text).run();
}

}  // namespace sumac::model
