#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace sumac::planner::papers {

/// How a published figure is known.
enum class Evidence : std::uint8_t {
  kStated,  // in the abstract
  kMemory,  // from memory; agrees with the other figures, the text could not be read
};

std::string_view toString(Evidence evidence);

/// One figure as published, never measured by us.
struct PublishedFigure {
  double value = 0;
  std::string_view unit;  // empty for a ratio
  Evidence evidence = Evidence::kMemory;
};

/// A scaling result of Das et al. 2016 (arXiv 1602.06709).
struct PublishedSpeedup {
  std::string_view name;
  std::string_view network;  // a name for architecture()
  std::int64_t nodes = 0;
  std::int64_t batch = 0;  // of all nodes; of the last three cases from memory
  PublishedFigure speedup;
  PublishedFigure points_per_second;  // of one node
  double link_bytes_per_second = 0;   // FDR InfiniBand 7e9, 10 GbE 1.25e9
  std::string_view source;
};

/// The six cases: five headline figures of the abstract, and OverFeat-FAST on AWS.
std::span<const PublishedSpeedup> publishedSpeedups();

}  // namespace sumac::planner::papers
