#pragma once

#include <cstdint>

#include "planner/parallel/parallel_case.h"

namespace sumac::planner::parallel_test {

/// Two layers with all they are asked with, on one kind of link.
ParallelCase tableCase();

/// VGG16 as the authors' tool has it: weights without biases, dropout counted.
NetworkCost toolVgg16();

/// ResNet-50 as the tool has it: without the four projections and without what belongs to batch
/// norm; the pool after the first convolution has no padding.
NetworkCost toolResnet50();

/// A network with the tool's time for one sample, trained as in its logs: D = 1,280,000, iterations
/// rounded up, on the machines of the paper.
ParallelCase toolCase(const NetworkCost& network, double seconds_per_sample,
                      std::int64_t batch_size);

}  // namespace sumac::planner::parallel_test
