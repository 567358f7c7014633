#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/telemetry/duration_counts.h"
#include "base/telemetry/http_answer.h"

namespace prometheus {
class Counter;
class Gauge;
class Histogram;
}  // namespace prometheus

namespace sumac {

/// A number that only grows. A handle: valid as long as the Metrics it came from, copied freely,
/// safe from any thread.
class Counter {
 public:
  explicit Counter(prometheus::Counter& counter) : counter_(&counter) {}

  void add(double by = 1);
  /// Brings it to a total that is counted elsewhere; a lower one changes nothing. From one thread
  /// at a time.
  void advanceTo(double total);
  double value() const;

 private:
  prometheus::Counter* counter_;
};

/// A number that goes up and down. A handle, as Counter.
class Gauge {
 public:
  explicit Gauge(prometheus::Gauge& gauge) : gauge_(&gauge) {}

  void set(double value);
  void add(double by);
  double value() const;

 private:
  prometheus::Gauge* gauge_;
};

/// How often values of which size came. A handle, as Counter.
class Histogram {
 public:
  explicit Histogram(prometheus::Histogram& histogram) : histogram_(&histogram) {}

  void observe(double value);
  /// Adds what was counted elsewhere. Requires the bounds of DurationCounts.
  void add(const DurationCounts& counts);

 private:
  prometheus::Histogram* histogram_;
};

/// The metrics of one process, as Prometheus reads them. Safe from any thread.
///
/// Names are ours, `sumac_<component>_<noun>_<unit>[_total]`; one that Prometheus does not take,
/// and the same name for two kinds, are bugs (InvariantViolation). Asking again for a name and
/// labels gives the same metric.
class Metrics {
 public:
  using Labels = std::map<std::string, std::string>;

  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  Counter counter(const std::string& name, const std::string& help, const Labels& labels = {});
  Gauge gauge(const std::string& name, const std::string& help, const Labels& labels = {});
  /// `bounds`: the upper ends of the buckets, ascending; the last one is open.
  Histogram histogram(const std::string& name, const std::string& help,
                      const std::vector<double>& bounds, const Labels& labels = {});

  /// All of them in Prometheus' text format 0.0.4.
  std::string text() const;
  /// The same as what /metrics answers.
  HttpAnswer answer() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sumac
