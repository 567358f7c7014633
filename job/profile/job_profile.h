#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "job/document/exchange_method.h"

namespace sumac {

/// A time that was measured several times, in seconds: the median and the quartiles around it.
struct Timing {
  double median = 0;
  double lower = 0;  // a quarter of the measurements were shorter
  double upper = 0;  // a quarter were longer

  bool operator==(const Timing&) const = default;
};

/// Of `seconds`, one or more, in any order; quartiles by linear interpolation.
Timing timingOf(std::vector<double> seconds);

/// One tensor of parameters, in a backward pass.
struct TensorProfile {
  std::string name;
  std::int64_t values = 0;
  /// From when its layer's backward pass began, or from when the tensor before it in this layer was
  /// final, until its gradient was final.
  double gradient_seconds = 0;

  bool operator==(const TensorProfile&) const = default;
};

/// One layer's share of a step. Layers that the engine computes together with the one before them,
/// as an activation, are part of that one.
struct LayerProfile {
  std::string name;
  std::vector<TensorProfile> tensors;  // in the order in which their gradients become final
  double forward_seconds = 0;
  /// What the layer's backward pass takes after its last tensor is final; of a layer without
  /// tensors all of it. Where one computation makes both gradients, its time is the tensors'.
  double input_gradient_seconds = 0;
  double update_seconds = 0;     // of the update's, in proportion to its values
  std::int64_t value_bytes = 0;  // of its outputs, for all samples

  double weightGradientSeconds() const;

  bool operator==(const LayerProfile&) const = default;
};

/// What one worker's step takes without its exchange, for one size of its share of a mini-batch.
struct BatchProfile {
  std::int64_t samples = 0;  // of this worker
  int parts = 1;             // that they are cut into
  int threads = 1;           // that compute
  Timing forward;            // with the loss, of all parts
  Timing backward;
  Timing update;
  /// How many times as long passes and update take where as many threads as there are cores compute
  /// the same in workers of so many threads. 1 where one worker has all cores, or not measured.
  double crowded = 1;
  std::int64_t workspace_bytes = 0;  // that the engine takes for values, gradients and products
  /// In forward order; medians. They need not sum up to those of the passes: computing layer by
  /// layer, to tell them apart, is a little slower.
  std::vector<LayerProfile> layers;

  double computeSeconds() const { return forward.median + backward.median + update.median; }

  bool operator==(const BatchProfile&) const = default;
};

/// One exchange of a vector of so many bytes between processes, on Sumac's own lanes: what a worker
/// waits for, the CPU of all ends included. Of one worker and one server it is a message there and
/// one back.
struct LinkMeasurement {
  std::string path;  // "tcp": 127.0.0.1; "ipc"; "curve": tcp, encrypted
  std::int64_t bytes = 0;
  Timing seconds;
  ExchangeMethod method = ExchangeMethod::kServers;  // or kDecentralized, or kDirect
  int workers = 1;
  int servers = 1;  // 0 where workers sum

  /// "centralized with 2 workers and 1 server", "direct with 2 workers".
  std::string exchangeName() const;
  bool operator==(const LinkMeasurement&) const = default;
};

/// Where a profile was measured. Times of another place say nothing.
struct ProfileMachine {
  std::string host;
  std::string cpu;              // model name
  std::string kernels;          // the variant, "avx512"
  int cores = 0;                // that the process may use
  std::optional<double> quota;  // its CPU limit in cores; nothing: no limit

  bool operator==(const ProfileMachine&) const = default;
};

/// The cores that a process has at once: those it may use, or as much of them as its limit allows.
double coresOf(const ProfileMachine& machine);

/// The same as members of a job share them: whole ones, a part of one as one.
int sharedCoresOf(const ProfileMachine& machine);

/// What was profiled. With another network or optimizer the times are others.
struct ProfileSubject {
  std::string network;  // its name
  std::string sha256;   // of model::canonicalText(), 64 hexadecimal digits
  std::string optimizer;
  int parts = 1;  // V of the job

  bool operator==(const ProfileSubject&) const = default;
};

/// What `sumac profile` measures, and cost models compute with. A value type.
struct JobProfile {
  std::string version;  // of Sumac
  ProfileMachine machine;
  ProfileSubject subject;
  std::vector<BatchProfile> batches;
  std::vector<LinkMeasurement> links;
  double sum_bytes_per_second = 0;  // that one thread adds to a sum; 0: not measured

  bool operator==(const JobProfile&) const = default;
};

}  // namespace sumac
