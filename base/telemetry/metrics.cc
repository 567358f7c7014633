#include "base/telemetry/metrics.h"

#include <algorithm>
#include <prometheus/check_names.h>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "base/core/check.h"

namespace sumac {

struct Metrics::State {
  prometheus::Registry registry;
};

namespace {

/// Prometheus' own checks throw without saying what they refuse.
void checkNames(const std::string& name, const Metrics::Labels& labels) {
  SUMAC_CHECK(prometheus::CheckMetricName(name), name);
  for (const auto& [label, value] : labels)
    SUMAC_CHECK(prometheus::CheckLabelName(label), name, label);
}

/// One metric of a family that is made when it is not there.
template <typename Builder, typename... Arguments>
auto& addTo(prometheus::Registry& registry, Builder build, const std::string& name,
            const std::string& help, const Metrics::Labels& labels, Arguments&&... arguments) {
  checkNames(name, labels);
  try {
    auto& family = build().Name(name).Help(help).Register(registry);
    return family.Add(labels, std::forward<Arguments>(arguments)...);
  } catch (const std::invalid_argument& failure) {
    failCheck("one metric has one kind", name + ": " + failure.what());
  }
}

}  // namespace

void Counter::add(double by) {
  counter_->Increment(by);
}

void Counter::advanceTo(double total) {
  const double missing = total - counter_->Value();
  if (missing > 0) counter_->Increment(missing);
}

double Counter::value() const {
  return counter_->Value();
}

void Gauge::set(double value) {
  gauge_->Set(value);
}

void Gauge::add(double by) {
  gauge_->Increment(by);
}

double Gauge::value() const {
  return gauge_->Value();
}

void Histogram::observe(double value) {
  histogram_->Observe(value);
}

void Histogram::add(const DurationCounts& counts) {
  histogram_->ObserveMultiple({counts.counts.begin(), counts.counts.end()}, counts.seconds);
}

Metrics::Metrics() : state_(std::make_unique<State>()) {}

Metrics::~Metrics() = default;

Counter Metrics::counter(const std::string& name, const std::string& help, const Labels& labels) {
  return Counter(addTo(state_->registry, prometheus::BuildCounter, name, help, labels));
}

Gauge Metrics::gauge(const std::string& name, const std::string& help, const Labels& labels) {
  return Gauge(addTo(state_->registry, prometheus::BuildGauge, name, help, labels));
}

Histogram Metrics::histogram(const std::string& name, const std::string& help,
                             const std::vector<double>& bounds, const Labels& labels) {
  SUMAC_CHECK(std::is_sorted(bounds.begin(), bounds.end()), name);
  return Histogram(addTo(state_->registry, prometheus::BuildHistogram, name, help, labels, bounds));
}

std::string Metrics::text() const {
  std::ostringstream out;
  prometheus::TextSerializer().Serialize(out, state_->registry.Collect());
  return out.str();
}

HttpAnswer Metrics::answer() const {
  return {200, "text/plain; version=0.0.4; charset=utf-8", text()};
}

}  // namespace sumac
