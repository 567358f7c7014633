#include "planner/machines/fields.h"

#include <string>
#include <utility>
#include <vector>

#include "base/core/day.h"
#include "job/document/table_document.h"
#include "planner/machines/amount.h"

namespace sumac::planner {
namespace {

using job::Field;
using job::Type;

constexpr int kMostTypes = 200;
constexpr int kMostCores = 4'096;
constexpr int kLongestName = 63;
constexpr int kLongestSource = 500;

bool isCurrency(std::string_view text) {
  return text.size() == 3 && text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == text.npos;
}

std::vector<Field> evidence() {
  return {{.name = "source",
           .type = Type::kString,
           .text = "Where it is from, so that somebody else can look it up or measure it again: "
                   "an address, or a command.",
           .required = true,
           .max_length = kLongestSource},
          {.name = "date",
           .type = Type::kString,
           .text = "The day on which it was read or measured, such as 2026-11-22.",
           .required = true,
           .pattern = {"^20[0-9]{2}-[0-9]{2}-[0-9]{2}$", looksLikeDay}}};
}

/// A figure with where it is from; `value` is its first field.
Field figure(std::string name, std::string text, Field value) {
  Field field = {.name = std::move(name), .text = std::move(text), .fields = {std::move(value)}};
  field.fields.push_back({.name = "kind",
                          .type = Type::kChoice,
                          .text = "measured: by you, on such a machine. published: by whoever "
                                  "sells it. Plans mark them differently.",
                          .required = true,
                          .choices = {{"measured"}, {"published"}}});
  for (Field& each : evidence())
    field.fields.push_back(std::move(each));
  return field;
}

Field amount(std::string name, std::string text, Dimension dimension) {
  const AmountRange range = rangeOf(dimension);
  return figure(std::move(name), std::move(text),
                {.name = "value",
                 .type = Type::kString,
                 .text = "A number and its unit, at least " + std::string(range.least) +
                         ", at most " + std::string(range.most) + ".",
                 .required = true,
                 .pattern = patternOf(dimension),
                 .max_length = 20});
}

Field price() {
  Field field = {.name = "price",
                 .text =
                     "What the machine costs. Without it plans have no costs: a price is never "
                     "assumed.",
                 .fields = {{.name = "perHour",
                             .type = Type::kDecimal,
                             .text = "Of one machine, for one hour.",
                             .required = true,
                             .range = {.at_least = "0.0001", .below = "1e5"}},
                            {.name = "currency",
                             .type = Type::kString,
                             .text = "Its code of three letters, such as EUR.",
                             .required = true,
                             .pattern = {"^[A-Z]{3}$", isCurrency}}}};
  for (Field& each : evidence())
    field.fields.push_back(std::move(each));
  return field;
}

Field machineType() {
  return {
      .name = "type",
      .text = "One type. Figures that nobody measured or published are left out.",
      .fields = {
          job::itemName("What `sumac plan --machine` calls it.", kLongestName),
          figure("cores", "CPU cores of the machine.",
                 {.name = "value",
                  .type = Type::kInteger,
                  .text = "How many.",
                  .required = true,
                  .minimum = 1,
                  .maximum = kMostCores}),
          amount("memory", "Memory of the machine, such as 32Gi.", Dimension::kMemory),
          amount("peak",
                 "What all its cores compute at most, of 32 bits, such as 289GFLOP/s. Plans note "
                 "where the profile is above it; times are as profiled.",
                 Dimension::kRate),
          amount("memoryBandwidth",
                 "What all its cores read from memory at most, such as 25GB/s. Plans list it and "
                 "do not use it.",
                 Dimension::kBandwidth),
          amount("linkRate", "Bits a second of its link, each way, such as 10Gbit.",
                 Dimension::kLink),
          amount("linkLatency",
                 "How long the smallest message takes from one machine to another, one way, such "
                 "as 50us.",
                 Dimension::kLatency),
          price()}};
}

Field makeRoot() {
  return job::documentTable(
      "MachineTypes",
      "Machine types that a job may run on, with what is known of each. Every figure says where it "
      "is from and when that was.",
      job::nameOnly("The name of this collection.", "What messages call it."),
      {.name = "spec",
       .text = "The types.",
       .required = true,
       .fields = {{.name = "types",
                   .type = Type::kList,
                   .text = "One for each machine type.",
                   .required = true,
                   .max_length = kMostTypes,
                   .fields = {machineType()}}}});
}

}  // namespace

const job::Field& machineTypesField() {
  static const Field kRoot = makeRoot();
  return kRoot;
}

}  // namespace sumac::planner
