#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exchange/membership/shard_map.h"
#include "exchange/plan/exchange_plan.h"

namespace sumac {

/// What the messages of an exchange cost, in seconds: LogGP's parameters (Alexandrov, Ionescu,
/// Schauser, Scheiman, SPAA 1995) and the rate of sums. A value type.
///
/// The defaults are those of a network of 10 Gbit/s between ordinary cores; they stand for what
/// could not be measured.
struct ExchangeCosts {
  double hop = 40e-6;     // alpha: until a message without payload has arrived
  double message = 5e-6;  // LogGP's gap: what each further message costs a process
  double byte = 1e-9;     // beta: a byte of payload through a process's link, with its checksums
  double add = 0.1e-9;    // gamma: a byte of a contribution added to a sum

  bool operator==(const ExchangeCosts&) const = default;
};

/// With every value that is no duration (negative, infinite, no number) replaced by the default,
/// and every other one brought into a range that a network can have.
ExchangeCosts bounded(const ExchangeCosts& costs);

/// Of several links and rates of sums (bytes a second; 0 or beyond any machine: not measured) what
/// an exchange of all depends on. The slowest link and the slowest sums, since all wait for them;
/// of latencies the median, since single ones are disturbed most. Where there is none, the default.
ExchangeCosts combined(const std::vector<ExchangeCosts>& links,
                       const std::vector<std::uint64_t>& add_rates);

/// The largest sum rate, in bytes a second, that is believed.
inline constexpr std::uint64_t kLargestAddRate = 1'000'000'000'000;

/// The methods of an all-reduce that give the canonical bits and that so many workers can take,
/// simplest first: direct, to the owners, and with fp32 halving for four or more, their number and
/// V a power of two (for others it sends more than 2S(N-1)/N). Direct is left out where every
/// worker would keep several large vectors: see mayBeDirect().
std::vector<ExchangeMethod> canonicalMethods(const ExchangePlan& plan, int workers);

/// Whether `auto` may have every worker sum everything: with one peer, where that costs no more
/// bytes than any other method, or a vector of at most 4 MiB, since each keeps three of them.
bool mayBeDirect(const ExchangePlan& plan, int workers);

/// The most tree nodes that the contribution of one of so many workers has.
int mostContributions(const ExchangePlan& plan, int workers);

/// How long an exchange takes, in seconds, when all workers begin together and nothing is hidden.
/// Of N workers, a vector of S bytes, c nodes in the largest contribution of a worker, and m(x)
/// messages for x bytes; what several peers send one process comes one after the other:
///
///   direct           hop + c(N-1) (m(S) message + S byte) + (cN-1) S add
///   to the owners    2 hop + (c+1)(N-1) (m(S/N) message + S/N byte) + (cN-1) S/N add
///   halving          2 log2(N) hop + the sum over k = 1..log2(N) of
///                      2 (m(S/2^k) message + S/2^k byte) + S/2^k add
///
/// (Thakur, Rabenseifner, Gropp 2005 for the last; papers' formulas have no `message`, which tells
/// many peers from few.) Requires one of canonicalMethods().
double predictedSeconds(ExchangeMethod method, const ExchangePlan& plan, int workers,
                        const ExchangeCosts& costs);

struct MethodCost {
  ExchangeMethod method = ExchangeMethod::kDirect;
  double seconds = 0;

  bool operator==(const MethodCost&) const = default;
};

/// How `algorithm: auto` was decided, for rosters, results and logs. A value type.
struct MethodChoice {
  ExchangeMethod method = ExchangeMethod::kDirect;
  bool is_resumed = false;                 // the checkpoint's: not the model's
  int links = 0;                           // that were measured; 0: the costs are the defaults
  ExchangeCosts costs = {};                // of the model
  std::vector<MethodCost> predicted = {};  // of all that were possible, simplest first

  bool operator==(const MethodChoice&) const = default;
};

/// The fastest of canonicalMethods() by the model; one that is simpler, unless another is more than
/// a twentieth faster. `before` is kept where it is one of them: what the checkpoint to resume from
/// was made with, by its name. The same arguments give the same choice.
MethodChoice chooseMethod(const ExchangePlan& plan, int workers, const ExchangeCosts& costs,
                          int links, std::string_view before = {});

/// "direct, predicted 0.21 ms; scatterGather 0.27 ms", with "as in the checkpoint" where so.
std::string choiceText(const MethodChoice& choice);

}  // namespace sumac
