#pragma once

#include <memory>
#include <optional>
#include <string>

#include <boost/test/unit_test.hpp>

#include "tests/unit/operator/trainingjob/operator_fixture.h"

namespace sumac::trainingjob {

inline constexpr const char* kCreateWorker0 = "create pods/lenet5-worker-0";

/// Refuses one request, so many times.
inline auto refusing(const std::string& request, int times, kube::Failure failure) {
  auto left = std::make_shared<int>(times);
  return [=](const std::string& asked) -> std::optional<kube::Failure> {
    if (asked != request || *left == 0) return std::nullopt;
    --*left;
    return failure;
  };
}

inline kube::Failure noAnswer() {
  return failureOf(0, "", "no answer within 30 s");
}

/// A job whose API server misbehaves as a test says.
struct Misbehaviour : OperatorFixture {
  Misbehaviour() { submit(aManifest()); }

  void runs() {
    settle();
    runPods();
    settle();
    BOOST_TEST(isTrue("Running"));
    BOOST_TEST(cluster.names(kube::kPods).size() == 3U);
  }
};

}  // namespace sumac::trainingjob
