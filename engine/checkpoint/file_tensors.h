#pragma once

#include <span>
#include <vector>

#include "job/model/network.h"

namespace sumac::checkpoint {

// The one place where the engine's tensors become those of our files, and back. They are the same
// but for an LSTM, whose files hold what torch.nn.LSTM holds: the gates of weight_ih_lN and
// weight_hh_lN in the order input, forget, candidate, output (in the engine the last two are
// swapped), and two biases, bias_ih_lN and bias_hh_lN, of which only the sum matters (the engine
// has one, bias_lN). Pure functions.

/// The tensors in a file of `network`, with names, shapes and offsets; `layers` stays empty.
model::Network fileTensors(const model::Network& network);

/// `values` (plan order of `network`) in the order of fileTensors(); every bias_hh is zero.
/// Requires network.parameters values.
std::vector<float> toFile(const model::Network& network, std::span<const float> values);

/// The reverse: adds the two biases of an LSTM. What toFile() made comes back with the same bits.
/// Requires fileTensors(network).parameters values.
std::vector<float> fromFile(const model::Network& network, std::span<const float> values);

}  // namespace sumac::checkpoint
