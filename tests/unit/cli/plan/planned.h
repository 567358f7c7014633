#pragma once

#include <sstream>
#include <string>
#include <string_view>

#include <boost/test/unit_test.hpp>

#include "base/core/bytes.h"
#include "base/core/file.h"
#include "cli/plan/plan.h"
#include "cli/plan/this_machine.h"
#include "job/document/job.h"
#include "job/document/network_of.h"
#include "job/profile/profile_json.h"
#include "tests/support/synthetic_profile.h"
#include "tests/support/temporary_folder.h"

namespace sumac::cli {

inline constexpr std::string_view kPlannedJob = R"(apiVersion: sumac.dev/v1alpha1
kind: TrainingJob
metadata: {name: planned}
spec:
  model: {name: lenet5}
  data: {name: fashion-mnist-mini}
  training:
    batchSize: 64
    epochs: 10
    logicalWorkers: 4
    optimizer: {name: sgd, learningRate: "0.1"}
  strategy: {exchange: parameterServer, topology: centralized}
  worker: {replicas: 2, minReplicas: 1, maxReplicas: 4}
  server: {replicas: 1}
)";

inline constexpr const char* kMachines = R"(apiVersion: sumac.dev/v1alpha1
kind: MachineTypes
metadata: {name: some}
spec:
  types:
    - name: big
      memory: {value: 16Gi, kind: published, source: a data sheet, date: 2026-01-31}
      linkRate: {value: 10Gbit, kind: published, source: a data sheet, date: 2026-01-31}
      price: {perHour: "1.20", currency: USD, source: a price list, date: 2026-02-28}
)";

inline constexpr const char* kCosts = R"(apiVersion: sumac.dev/v1alpha1
kind: ConvolutionCosts
metadata: {name: ours}
spec:
  source: a library
  date: 2026-11-23
  workspaceBytes: 64
  layers:
    - {name: conv1, algorithms: [{name: fft, seconds: "0.5", workspaceBytes: 32}]}
    - {name: conv2, algorithms: [{name: fft, seconds: "0.5", workspaceBytes: 32}]}
)";

inline bool has(const std::string& text, std::string_view part) {
  return text.find(part) != text.npos;
}

/// What one call printed.
struct Planned {
  ExitCode code = ExitCode::kDone;
  std::string out;
  std::string err;
};

/// A folder with a job and a profile of it, and calls of `sumac plan` there.
class PlanCalls {
 public:
  PlanCalls() {
    options.file = "-";
    options.profiles = {folder_ / "profile.json"};
    options.most_workers = 8;
    write("profile.json", toJson(profile()));
  }

  void write(std::string_view name, const std::string& text) const {
    BOOST_TEST_REQUIRE(replaceFile(folder_ / name, asBytes(text)).has_value());
  }
  std::filesystem::path file(std::string_view name) const { return folder_ / name; }

  Planned call(std::string_view job = kPlannedJob) const {
    std::istringstream in{std::string(job)};
    std::ostringstream out;
    std::ostringstream err;
    const ExitCode code = planJob(options, machine, {in, out, err, Terminal{}});
    return {code, out.str(), err.str()};
  }

  static JobProfile profile() {
    const auto reading = job::readJob(kPlannedJob, "job.yaml", {}, false);
    return syntheticProfile(*reading.job, job::networkOf(*reading.job).value());
  }

  PlanOptions options;
  ThisMachine machine;

 private:
  TemporaryFolder folder_;
};

}  // namespace sumac::cli
