#include "job/document/exchange_method.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace sumac {
namespace {

constexpr std::array<std::string_view, 6> kNames{
    // as the enumeration
    "centralized", "decentralized", "direct", "scatterGather", "halvingDoubling", "ring"};

}  // namespace

std::string_view toString(std::optional<ExchangeMethod> method) {
  return method ? kNames.at(static_cast<std::size_t>(*method)) : "auto";
}

std::optional<ExchangeMethod> exchangeMethodFrom(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<ExchangeMethod>(found - kNames.begin());
}

}  // namespace sumac
