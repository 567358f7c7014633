#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sumac::planner {

/// Where a figure is from. Readers are told wherever it is shown: what somebody published or said
/// is not what was measured here.
enum class FigureOrigin : std::uint8_t {
  kMeasured,   // by Sumac, on a machine at hand
  kPublished,  // a data sheet, a price list, a paper
  kGiven,      // by the user, on the command line or in the job
};

/// "measured", "published", "given".
std::string_view toString(FigureOrigin origin);

/// A number with where it is from. The unit stands beside the field that has it.
struct Figure {
  double value = 0;
  FigureOrigin origin = FigureOrigin::kPublished;
  std::string source;  // "the provider's price list, https://..."; empty: Sumac's own figure
  std::string date;    // of the source, "2026-01-31"; empty: it has none

  bool operator==(const Figure&) const = default;
};

/// A kind of machine that members can run on, one member a machine. What is not known is empty,
/// and nothing is assumed in its place. A value type.
struct MachineType {
  std::string name;
  std::optional<Figure> cores;
  std::optional<Figure> memory_bytes;
  std::optional<Figure> memory_bytes_per_second;
  std::optional<Figure> operations_per_second;  // floating-point, fp32, of all cores: the peak
  std::optional<Figure> link_bytes_per_second;  // each way
  std::optional<Figure> hop_seconds;            // a message without payload, one way
  std::optional<Figure> price_per_hour;         // in `currency`
  std::string currency;                         // "USD"; empty without a price

  bool operator==(const MachineType&) const = default;
};

/// Where the members run.
enum class Placement : std::uint8_t {
  kHere,      // all on the profiled machine, sharing its cores, as `sumac run` has them
  kMachines,  // one member a machine like the profiled one, or of a type
};

}  // namespace sumac::planner
