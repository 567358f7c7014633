#include "planner/parallel/data_parallel.h"

#include <algorithm>

namespace sumac::planner {

double gradientExchangeSeconds(const ParallelCase& question, std::int64_t members,
                               double weight_items) {
  const Training& training = question.training;
  const Machines& machines = question.machines;
  const double phi = question.choices.contention.gradient_exchange;
  const double bytes = weight_items * training.bytes_per_item;
  const LinkCost between = machines.collectiveLink(members).sharedBy(phi);
  if (question.choices.gradient_exchange == GradientExchange::kRing)
    return training.iterations() * ringAllreduceSeconds(between, members, bytes);
  const std::int64_t inner = std::min(members, machines.members_per_machine);
  const LeaderAllreduce leaders{.groups = (members + inner - 1) / inner,
                                .members = inner,
                                .inside = machines.collectiveLink(inner),
                                .between = between};
  return training.iterations() * leaders.seconds(bytes);
}

Estimate dataParallel(const ParallelCase& question, std::int64_t members) {
  const Training& training = question.training;
  const NetworkTotals network = totals(question.network);
  const auto count = static_cast<double>(members);
  const double batch = static_cast<double>(training.batch_size);

  Estimate result;
  result.time[Phase::kForwardBackward] =
      static_cast<double>(training.samples) / count * network.forward_backward_seconds;
  result.time[Phase::kWeightUpdate] = training.iterations() * network.update_seconds;
  result.time[Phase::kGradientExchange] =
      gradientExchangeSeconds(question, members, network.weight_items);
  result.memory_bytes = 2 * training.bytes_per_item * question.choices.memory_reuse *
                        (batch / count * network.activation_items + network.weight_items);
  return result;
}

}  // namespace sumac::planner
