#include "tests/papers/das/data_parallel.h"

#include <string>

#include "planner/checks/checks.h"

namespace sumac::planner::papers {
namespace {

constexpr std::string_view kDataParallel = "balance of data parallelism";

}  // namespace

Result<double> systemFlopsPerByte(double flops_per_second, double link_bytes_per_second) {
  const double quotient = flops_per_second / link_bytes_per_second;
  if (auto checked = checkPositive(kDataParallel,
                                   {{"the speed of a node", flops_per_second, "FLOP/s"},
                                    {"the bandwidth of a node", link_bytes_per_second, "bytes/s"},
                                    {"their quotient", quotient, "FLOP/byte"}});
      !checked) {
    return checked.error();
  }
  return quotient;
}

Result<double> flopsPerByteAndPoint(const LayerList& list, double overlap) {
  if (auto checked = checkLayers(list); !checked) return checked.error();
  if (!(overlap >= 0 && overlap <= 1)) {
    return Error{ErrorCode::kInvalid, std::string(kDataParallel) + ": found an overlap of " +
                                          toString({"", overlap, ""}) + ", must be in [0, 1]"};
  }
  constexpr double kFlopsPerMac = 6;    // forward, input gradient, weight gradient
  constexpr double kBytesPerValue = 4;  // fp32
  double macs = 0;
  double weights = 0;
  for (const Layer& layer : list.layers) {
    if (layer.kind != LayerKind::kConvolution) continue;
    macs += static_cast<double>(layer.macs);
    weights += static_cast<double>(layer.weights);
  }
  if (weights == 0) {
    return Error{ErrorCode::kInvalid, std::string(kDataParallel) + ": network " + list.name +
                                          " has no convolution with weights"};
  }
  return kFlopsPerMac * macs / (kBytesPerValue * weights * (2 - overlap));
}

Result<DataParallelLimit> dataParallelLimit(double flops_per_byte_and_point,
                                            double system_flops_per_byte, std::int64_t batch) {
  if (auto checked = checkPositive(
          kDataParallel, {{"the balance of one point", flops_per_byte_and_point, "FLOP/byte"},
                          {"the balance of the system", system_flops_per_byte, "FLOP/byte"},
                          {"the mini-batch", static_cast<double>(batch), "points"}});
      !checked) {
    return checked.error();
  }
  const auto points = countFrom(kDataParallel, system_flops_per_byte / flops_per_byte_and_point);
  if (!points) return points.error();
  return DataParallelLimit{*points, 1 + (batch - 1) / *points};
}

}  // namespace sumac::planner::papers
