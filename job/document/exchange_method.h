#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sumac {

/// How the workers' contributions come together: the choice of a job's strategy, of a plan and of a
/// bench (docs/design/exchange.md#strategies). `auto` is the absence of one.
enum class ExchangeMethod : std::uint8_t {
  kServers,          // servers in processes of their own sum
  kDecentralized,    // each worker sums its ranges and sends the sums to all
  kDirect,           // each worker gets everything, and sums for itself
  kScatterGather,    // the all-reduce that exchanges what kDecentralized does
  kHalvingDoubling,  // pairs of workers add each other's halves, then pairs of pairs quarters...
  kRing,             // each worker adds its own to what the one before it sends, up to the owner
};

/// The value of `strategy.topology` or `strategy.algorithm` that asks for it: "centralized" where
/// servers sum; "auto" for none.
std::string_view toString(std::optional<ExchangeMethod> method);
/// Nothing for `auto` and unknown names.
std::optional<ExchangeMethod> exchangeMethodFrom(std::string_view name);

/// Whether `strategy.exchange` is allReduce and `strategy.algorithm` names it; else `topology`
/// does.
inline bool isAllReduce(std::optional<ExchangeMethod> method) {
  return method != ExchangeMethod::kServers && method != ExchangeMethod::kDecentralized;
}

/// Whether each worker sums its own ranges, from contributions that all send it.
inline bool isByOwners(ExchangeMethod method) {
  return method == ExchangeMethod::kDecentralized || method == ExchangeMethod::kScatterGather;
}

}  // namespace sumac
