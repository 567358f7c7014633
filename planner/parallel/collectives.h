#pragma once

#include <cstdint>

namespace sumac::planner {

/// What a message costs: Hockney's model, Kahira et al. 2021, their notation.
struct LinkCost {
  double latency_seconds = 0;   // alpha
  double seconds_per_byte = 0;  // beta, of the slowest link on the way

  /// The same link while `factor` transfers share it: phi of Kahira et al., which multiplies beta.
  LinkCost sharedBy(double factor) const { return {latency_seconds, factor * seconds_per_byte}; }
};

// Times of the collective operations of Kahira et al. 2021, in seconds. Pure; all
// require members >= 1 and bytes >= 0, and take no time for one member.

/// One message: alpha + m beta.
double messageSeconds(const LinkCost& link, double bytes);

/// A ring that adds up a buffer of `bytes` in every member: 2 (p - 1) (alpha + m beta / p).
double ringAllreduceSeconds(const LinkCost& link, std::int64_t members, double bytes);

/// A ring that collects `bytes_each` from every member: (p - 1) (alpha + s beta).
double ringAllgatherSeconds(const LinkCost& link, std::int64_t members, double bytes_each);

/// Groups of members that add up `bytes`: inside each group at a leader, then among the leaders by
/// a ring, then from each leader to its group. The paper names the three stages and not how the
/// two inner ones work; here each moves the buffer in strips, 2 (p2 - 1) (alpha + m beta / p2):
/// reduce-scatter and gather, scatter and allgather (derived).
struct LeaderAllreduce {
  std::int64_t groups = 1;   // p1, so many leaders
  std::int64_t members = 1;  // p2 of a group
  LinkCost inside;           // a group
  LinkCost between;          // leaders

  double seconds(double bytes) const;
};

}  // namespace sumac::planner
