#include "planner/autoscaling/policy_of.h"

#include <boost/test/unit_test.hpp>

namespace sumac::autoscaling::policy_of_test {

BOOST_AUTO_TEST_SUITE(policy_of)

BOOST_AUTO_TEST_CASE(a_policy_is_what_the_job_says) {
  const job::AutoscalingSpec spec{.policy = job::AutoscalingPolicy::kCost,
                                  .target_efficiency = 0.5,
                                  .deadline_seconds = 60,
                                  .worker_hour = 0.1,
                                  .server_hour = 0.05,
                                  .budget = 5,
                                  .stabilization_seconds = 30};
  BOOST_TEST((policyOf(spec) == Policy{.goal = Goal::kCost,
                                       .target_efficiency = 0.5,
                                       .deadline_seconds = 60,
                                       .prices = {.worker_hour = 0.1, .server_hour = 0.05},
                                       .budget = 5,
                                       .stabilization_seconds = 30}));
}

BOOST_AUTO_TEST_CASE(what_a_job_does_not_say_is_the_policy_s_default) {
  BOOST_TEST((policyOf({}) == Policy{}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::autoscaling::policy_of_test
