#include "tests/papers/das/published_results.h"

#include <array>

namespace sumac::planner::papers {
namespace {

constexpr double kFdr = 7e9;            // bytes a second of FDR InfiniBand, 56 Gbit/s
constexpr double kTenGigabit = 1.25e9;  // bytes a second

constexpr std::string_view kDas = "Das et al. 2016 (arXiv 1602.06709)";

constexpr PublishedFigure stated(double speedup) {
  return {speedup, "", Evidence::kStated};
}

/// Rates of one node: 2510 images/s on 128 nodes over 90, 397 on 16 over 14.2, 1027 on 16
/// over 11.9.
constexpr PublishedFigure rate(double points_per_second, std::string_view unit) {
  return {points_per_second, unit, Evidence::kMemory};
}

constexpr std::array kSpeedups{
    PublishedSpeedup{"vgg-a-128", "vgg-a", 128, 512, stated(90), rate(27.9, "images/s"), kFdr,
                     kDas},
    PublishedSpeedup{"vgg-a-64", "vgg-a", 64, 256, stated(53), rate(27.9, "images/s"), kFdr, kDas},
    PublishedSpeedup{"overfeat-64", "overfeat-fast", 64, 256, stated(42), rate(86.3, "images/s"),
                     kFdr, kDas},
    PublishedSpeedup{"cd-dnn-16", "cd-dnn", 16, 1024, stated(6.5), rate(4600, "frames/s"), kFdr,
                     kDas},
    PublishedSpeedup{"aws-vgg-a-16", "vgg-a", 16, 256, stated(14), rate(28.0, "images/s"),
                     kTenGigabit, kDas},
    PublishedSpeedup{"aws-overfeat-16", "overfeat-fast", 16, 256,
                     PublishedFigure{11.9, "", Evidence::kMemory}, rate(86.3, "images/s"),
                     kTenGigabit, kDas},
};

}  // namespace

std::string_view toString(Evidence evidence) {
  switch (evidence) {
    case Evidence::kStated: return "published";
    case Evidence::kMemory: return "published, from memory";
  }
  return "unknown";
}

std::span<const PublishedSpeedup> publishedSpeedups() {
  return kSpeedups;
}

}  // namespace sumac::planner::papers
