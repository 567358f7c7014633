#pragma once

#include <cstddef>

#include "engine/sequence/layer.h"
#include "engine/sequence/split.h"
#include "engine/sequence/weight_gradient.h"
#include "engine/sequence/weight_operand.h"

namespace sumac::worker::sequence {

/// One layer of an LSTM over all time steps. The samples' sums of the inputs are one product for
/// all steps; then every step adds the product of the outputs before it, with packed weights.
/// Threads share the samples: none waits for another within a call. The gradients of both
/// matrices are one product each over all rows.
///
/// Owned by a layer; used by its thread, works with the pool's.
class LstmLayer {
 public:
  struct Place {
    std::size_t inputs;
    std::size_t units;
    std::size_t first_tensor;  // of the three among the layer's
    std::size_t state;         // where h begins in a sample's recurrent state; c follows
  };

  LstmLayer(const LayerContext& context, const Place& place);

  float* forward(const Pass& pass, const float* x);
  void backward(const Pass& pass, const float* x, const Gradients& gradients);

 private:
  void loadState(const Pass& pass);
  void storeState(const Pass& pass);
  void addInputs(const Pass& pass, const float* x);
  void forwardSamples(const Pass& pass, Range samples);
  void backwardSamples(const Pass& pass, const float* dy, Range samples);

  Kernels kernels_;
  Arena& arena_;       // outlives us
  ComputePool& pool_;  // outlives us
  std::size_t inputs_;
  std::size_t units_;
  std::size_t input_weight_;
  std::size_t recurrent_weight_;
  std::size_t bias_;
  std::size_t state_;
  std::size_t network_state_;  // values of a sample
  WeightOperand inputs_forward_;
  WeightOperand inputs_backward_;
  WeightOperand recurrent_forward_;
  WeightOperand recurrent_backward_;
  // Of every row; h and c begin with those before the first step.
  Arena::Piece gates_;
  Arena::Piece h_;
  Arena::Piece c_;
  Arena::Piece tanh_c_;
  // Of every sample.
  Arena::Piece dh_;
  Arena::Piece dc_;
  WeightGradient input_gradient_;
  WeightGradient recurrent_gradient_;
};

}  // namespace sumac::worker::sequence
