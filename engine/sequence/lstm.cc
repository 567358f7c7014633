#include <memory>
#include <vector>

#include "engine/sequence/layer.h"
#include "engine/sequence/lstm_layer.h"

namespace sumac::worker::sequence {
namespace {

// Layers one above the other: each takes the outputs of the one below.
class Lstm final : public Layer {
 public:
  Lstm(const LayerContext& context, int layers) : arena_(context.arena) {
    const std::size_t units = context.outputs();
    const auto state = static_cast<std::size_t>(context.layer.recurrent.offset);
    for (std::size_t i = 0; i < static_cast<std::size_t>(layers); ++i) {
      layers_.push_back(std::make_unique<LstmLayer>(
          context, LstmLayer::Place{.inputs = i == 0 ? context.inputs() : units,
                                    .units = units,
                                    .first_tensor = 3 * i,
                                    .state = state + 2 * i * units}));
      if (i > 0) {
        gradients_.push_back(arena_.reserve(context.maxRows() * context.layer.output.back()));
      }
    }
    outputs_.resize(layers_.size());
  }

  float* forward(const Pass& pass, const float* x) override {
    for (std::size_t i = 0; i < layers_.size(); ++i)
      outputs_[i] = layers_[i]->forward(pass, i == 0 ? x : outputs_[i - 1]);
    return outputs_.back();
  }

  void backward(const Pass& pass, const float* x, const Gradients& gradients) override {
    Gradients own = gradients;
    for (std::size_t i = layers_.size(); i-- > 0;) {
      own.dx = i == 0 ? gradients.dx : arena_.at(gradients_[i - 1]);
      layers_[i]->backward(pass, i == 0 ? x : outputs_[i - 1], own);
      own.dy = own.dx;
    }
  }

 private:
  Arena& arena_;  // outlives us
  std::vector<std::unique_ptr<LstmLayer>> layers_;
  std::vector<Arena::Piece> gradients_;  // of the outputs of every layer but the last
  std::vector<float*> outputs_;
};

}  // namespace

std::unique_ptr<Layer> makeLstm(const LayerContext& context, int layers) {
  return std::make_unique<Lstm>(context, layers);
}

}  // namespace sumac::worker::sequence
