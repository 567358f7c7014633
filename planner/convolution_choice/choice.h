#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"

namespace sumac::planner {

/// Sumac's engine has one algorithm a layer. Whatever shows a Choice shows this beside it.
inline constexpr std::string_view kChoiceIsNotAdvice =
    "for the costs given; not advice for this version, whose engine has one algorithm a layer";

/// What one algorithm costs one convolution at one mini-batch size.
struct AlgorithmCost {
  std::string name;
  double seconds = 0;
  std::int64_t workspace_bytes = 0;
};

/// The algorithms among which one convolution has the choice.
struct ConvolutionAlgorithms {
  std::string layer;
  std::vector<AlgorithmCost> algorithms;
};

/// One algorithm for each convolution.
struct Choice {
  std::vector<std::size_t> algorithms;  // for each convolution, an index into its algorithms
  double seconds = 0;
  std::int64_t workspace_bytes = 0;
  double seconds_lower_bound = 0;  // no choice takes less; below `seconds` only if !is_optimal
  bool is_optimal = true;
};

/// At most this many partial choices are kept: about 100 MB, a tenth of a second of one core.
inline constexpr std::size_t kMaxChoiceStates = std::size_t{1} << 20;

/// The fastest algorithms whose workspaces fit together into `bound_bytes`.
///
/// Zou et al. 2017 (arXiv 1709.06622), the choice of convolution algorithms as an integer program:
///
///   minimise    sum_k sum_l x_kl T_kl
///   subject to  sum_k sum_l x_kl M_kl <= bound,  sum_l x_kl = 1 for every k,  x_kl in {0, 1}
///
/// Its notation is not that of the paper's text, which could not be read: the form follows from the
/// abstract. Workspaces are added up, as if every layer kept its own.
///
/// It is a multiple-choice knapsack, and solved exactly: by the linear relaxation, then by dynamic
/// programming over the convolutions closest to its split, with bounds (after Pisinger, "A minimal
/// algorithm for the multiple-choice knapsack problem", 1995). 10,000 convolutions with five
/// algorithms take well below a second. The problem is NP-hard: for instances made to be hard, the
/// search stops after `max_states` partial choices and returns the best choice so far, with
/// `is_optimal` false and a bound.
///
/// Fails with kInvalid if there is no convolution, if one has no algorithm, if a time or a size is
/// negative or not finite, or if not even the smallest workspaces fit: the message says how much
/// they need.
Result<Choice> chooseAlgorithms(std::span<const ConvolutionAlgorithms> convolutions,
                                std::int64_t bound_bytes,
                                std::size_t max_states = kMaxChoiceStates);

}  // namespace sumac::planner
