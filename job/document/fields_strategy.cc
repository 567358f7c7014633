#include "job/document/field.h"

namespace sumac::job::internal {

namespace {

std::vector<Field> exchangeFields() {
  return {{.name = "exchange",
           .type = Type::kChoice,
           .text = "parameterServer: servers sum the gradients; allReduce: workers do.",
           .choices = {{"parameterServer"}, {"allReduce"}},
           .schema_default = "parameterServer"},
          {.name = "algorithm",
           .type = Type::kChoice,
           .text = "How allReduce sends. direct: every worker sends all to every other, for small "
                   "networks; scatterGather: each worker sums the ranges that it owns, for large "
                   "ones; halvingDoubling: pairs of workers add up, then pairs of pairs, for large "
                   "ones with 2, 4, 8, ... workers; auto measures what messages and sums cost "
                   "and takes the fastest of these three. All of them give the same bits. ring: "
                   "each worker adds to what its neighbour sends; "
                   "the bits depend on the number of workers.",
           .choices = {{"auto"}, {"direct"}, {"scatterGather"}, {"halvingDoubling"}, {"ring"}},
           .resolver_default = "auto",
           .only_with = OnlyWith{"exchange", {"allReduce"}}},
          {.name = "topology",
           .type = Type::kChoice,
           .text = "centralized: servers have pods of their own; decentralized: a server in each "
                   "worker's process.",
           .choices = {{"centralized"}, {"decentralized"}},
           .resolver_default = "centralized",
           .only_with = OnlyWith{"exchange", {"parameterServer"}}},
          {.name = "consistency",
           .type = Type::kChoice,
           .text = "How far apart workers may be. synchronous gives the same bits for any number "
                   "of workers.",
           .choices = {{"synchronous"},
                       {"boundedStaleness", false},
                       {"asynchronous", false},
                       {"partiallySynchronous", false},
                       {"weedOut", false},
                       {"elasticAveraging", false}},
           .schema_default = "synchronous"}};
}

std::vector<Field> modeFields() {
  const auto with = [](std::vector<std::string> modes) {
    return OnlyWith{"consistency", std::move(modes)};
  };
  return {
      {.name = "staleness",
       .type = Type::kInteger,
       .text = "Further steps in flight; 0 is synchronous.",
       .available = false,
       .minimum = 0,
       .maximum = 64,
       .only_with = with({"boundedStaleness"})},
      {.name = "maxAdvance",
       .type = Type::kInteger,
       .text = "Steps by which the fastest worker may lead the slowest.",
       .available = false,
       .minimum = 1,
       .maximum = 1'000'000,
       .only_with = with({"partiallySynchronous"})},
      {.name = "window",
       .type = Type::kInteger,
       .text =
           "How many of the last finishers are remembered: once there are so many, the gradient "
           "of a worker that is not among them is dropped. At least the number of workers.",
       .available = false,
       .minimum = 1,
       .maximum = 1'000'000,
       .only_with = with({"weedOut"})},
      {.name = "movingRate",
       .type = Type::kDecimal,
       .text = "Share of the difference that moves between worker and centre.",
       .available = false,
       .range = {.above = "0", .below = "1"},
       .only_with = with({"elasticAveraging"})},
      {.name = "period",
       .type = Type::kInteger,
       .text = "Steps between two exchanges with the centre.",
       .available = false,
       .minimum = 1,
       .maximum = 1'000'000,
       .only_with = with({"elasticAveraging"})}};
}

Field codecField() {
  return {.name = "codec",
          .type = Type::kChoice,
          .text =
              "How gradients travel. fp32 keeps every bit. bf16 and fp16 halve the bytes and round "
              "each contribution and each sum, so that the bits depend on the number of workers: "
              "bf16 to 8 significant bits, fp16 to 11, but to at most 65504.",
          .choices = {{"fp32"}, {"fp16"}, {"bf16"}, {"int8", false}},
          .resolver_default = "fp32",
          .only_with = OnlyWith{"consistency", {"synchronous", "boundedStaleness"}}};
}

}  // namespace

Field strategySection() {
  Field field = {.name = "strategy",
                 .text = "How gradients travel between workers.",
                 .schema_default = "{}",
                 .change = Change::kNever,
                 .fields = exchangeFields()};
  for (Field& mode : modeFields())
    field.fields.push_back(std::move(mode));
  field.fields.push_back(codecField());
  return field;
}

}  // namespace sumac::job::internal
