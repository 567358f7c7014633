#include "engine/sequence/lstm_layer.h"

#include <algorithm>

namespace sumac::worker::sequence {
namespace {

WeightGradient::Extents extents(const LayerContext& context, std::size_t inputs,
                                std::size_t units) {
  return {inputs, 4 * units, static_cast<std::size_t>(context.maxRows())};
}

}  // namespace

LstmLayer::LstmLayer(const LayerContext& context, const Place& place)
    : kernels_(context.kernels),
      arena_(context.arena),
      pool_(context.pool),
      inputs_(place.inputs),
      units_(place.units),
      input_weight_(context.offset(place.first_tensor)),
      recurrent_weight_(context.offset(place.first_tensor + 1)),
      bias_(context.offset(place.first_tensor + 2)),
      state_(place.state),
      network_state_(static_cast<std::size_t>(context.network.recurrent)),
      inputs_forward_(context, {input_weight_, inputs_, 4 * units_, true}, context.reuses_weights),
      inputs_backward_(context, {input_weight_, 4 * units_, inputs_, false},
                       context.reuses_weights),
      recurrent_forward_(context, {recurrent_weight_, units_, 4 * units_, true}, true),
      recurrent_backward_(context, {recurrent_weight_, 4 * units_, units_, false}, true),
      input_gradient_(context.kernels, context.arena, context.pool,
                      extents(context, place.inputs, place.units)),
      recurrent_gradient_(context.kernels, context.arena, context.pool,
                          extents(context, place.units, place.units)) {
  const auto units = static_cast<std::int64_t>(units_);
  const std::int64_t samples = context.max_samples;
  gates_ = arena_.reserve(context.maxRows() * 4 * units);
  h_ = arena_.reserve((context.maxRows() + samples) * units);
  c_ = arena_.reserve((context.maxRows() + samples) * units);
  tanh_c_ = arena_.reserve(context.maxRows() * units);
  dh_ = arena_.reserve(samples * units);
  dc_ = arena_.reserve(samples * units);
}

float* LstmLayer::forward(const Pass& pass, const float* x) {
  loadState(pass);
  addInputs(pass, x);
  recurrent_forward_.prepare(pass);
  split(pool_, pass.samples, 1, [&](Range samples) { forwardSamples(pass, samples); });
  storeState(pass);
  return arena_.at(h_) + pass.samples * units_;
}

void LstmLayer::loadState(const Pass& pass) {
  for (const PassPart& part : pass.parts) {
    for (std::size_t i = 0; i < part.rows.samples; ++i) {
      const float* const state = part.state + i * network_state_ + state_;
      const std::size_t sample = part.rows.first_sample + i;
      std::copy_n(state, units_, arena_.at(h_) + sample * units_);
      std::copy_n(state + units_, units_, arena_.at(c_) + sample * units_);
    }
  }
}

void LstmLayer::storeState(const Pass& pass) {
  for (const PassPart& part : pass.parts) {
    for (std::size_t i = 0; i < part.rows.samples; ++i) {
      float* const state = part.next_state + i * network_state_ + state_;
      const std::size_t row = pass.rows + part.rows.first_sample + i;
      std::copy_n(arena_.at(h_) + row * units_, units_, state);
      std::copy_n(arena_.at(c_) + row * units_, units_, state + units_);
    }
  }
}

void LstmLayer::addInputs(const Pass& pass, const float* x) {
  inputs_forward_.multiply(pass, {.m = pass.rows,
                                  .a = x,
                                  .a_stride = inputs_,
                                  .c = arena_.at(gates_),
                                  .c_stride = 4 * units_,
                                  .bias = pass.weights + bias_});
}

void LstmLayer::forwardSamples(const Pass& pass, Range samples) {
  SumacGemm recurrent{
      .m = samples.size(), .a_stride = units_, .c_stride = 4 * units_, .accumulate = 1};
  for (std::size_t row = samples.begin; row < pass.rows; row += pass.samples) {
    const std::size_t before = row * units_;
    const std::size_t after = (row + pass.samples) * units_;
    float* const gates = arena_.at(gates_) + row * 4 * units_;
    recurrent.a = arena_.at(h_) + before;
    recurrent.c = gates;
    recurrent_forward_.multiplyHere(pass, recurrent, recurrent_forward_.wholeDepth());
    const SumacLstmStep step{.units = units_,
                             .samples = samples.size(),
                             .gates = gates,
                             .c_before = arena_.at(c_) + before,
                             .c = arena_.at(c_) + after,
                             .tanh_c = arena_.at(tanh_c_) + before,
                             .h = arena_.at(h_) + after};
    kernels_->lstmForward(&step);
  }
}

void LstmLayer::backward(const Pass& pass, const float* x, const Gradients& gradients) {
  recurrent_backward_.prepare(pass);
  split(pool_, pass.samples, 1,
        [&](Range samples) { backwardSamples(pass, gradients.dy, samples); });

  const float* const gates = arena_.at(gates_);
  input_gradient_.weights(pass, input_weight_, x, gates);
  recurrent_gradient_.weights(pass, recurrent_weight_, arena_.at(h_), gates);
  input_gradient_.bias(pass, bias_, gates);
  if (gradients.dx == nullptr) return;
  inputs_backward_.multiply(
      pass,
      {.m = pass.rows, .a = gates, .a_stride = 4 * units_, .c = gradients.dx, .c_stride = inputs_});
}

// Truncated at the first step: the state before it gets no gradient.
void LstmLayer::backwardSamples(const Pass& pass, const float* dy, Range samples) {
  float* const dh = arena_.at(dh_) + samples.begin * units_;
  float* const dc = arena_.at(dc_) + samples.begin * units_;
  std::fill_n(dc, samples.size() * units_, 0.0F);
  SumacGemm recurrent{.m = samples.size(), .a_stride = 4 * units_, .c = dh, .c_stride = units_};
  const std::size_t last = pass.rows - pass.samples;
  for (std::size_t left = pass.rows; left > 0; left -= pass.samples) {
    const std::size_t first_row = left - pass.samples;
    const std::size_t row = first_row + samples.begin;
    float* const gates = arena_.at(gates_) + row * 4 * units_;
    const SumacLstmBackward step{.units = units_,
                                 .samples = samples.size(),
                                 .gates = gates,
                                 .c_before = arena_.at(c_) + row * units_,
                                 .tanh_c = arena_.at(tanh_c_) + row * units_,
                                 .dh = dy + row * units_,
                                 .dh_after = first_row == last ? nullptr : dh,
                                 .dc = dc};
    kernels_->lstmBackward(&step);
    if (first_row == 0) break;
    recurrent.a = gates;
    recurrent_backward_.multiplyHere(pass, recurrent, recurrent_backward_.wholeDepth());
  }
}

}  // namespace sumac::worker::sequence
