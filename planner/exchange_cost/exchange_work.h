#pragma once

#include <cstdint>

#include "job/document/exchange_method.h"

namespace sumac::planner {

/// One exchange of a mini-batch's gradient: who sums, how many take part, and how much it is.
struct ExchangeShape {
  ExchangeMethod method = ExchangeMethod::kServers;
  int workers = 1;           // N
  int servers = 1;           // K, of kServers only
  double value_bytes = 0;    // S: the vector as it is added, fp32
  double wire_bytes = 0;     // a contribution as it is sent: smaller with a codec
  double message_bytes = 0;  // of payload in one message, at most
  double contributions = 1;  // c: tree nodes in the largest contribution of a worker
  /// Of the bytes as they are sent, how much belongs to the busiest server or owner. 0: all have as
  /// much.
  double largest_share = 0;
  /// The sum as it is sent, where zeros are left out: it has the words of all. 0: as wire_bytes.
  double sum_bytes = 0;

  bool operator==(const ExchangeShape&) const = default;
};

/// What an exchange needs, in numbers of things. Times a cost for each they are its time.
struct ExchangeWork {
  double hops = 0;          // one-way delays, one after the other
  double messages = 0;      // that the busiest process sends and takes, one after the other
  double bytes = 0;         // through its link
  double added_bytes = 0;   // that it adds to sums
  double all_hops = 0;      // of all processes together: what cores that they share have to do
  double all_messages = 0;  // likewise, each counted once on its way
  double all_bytes = 0;     // likewise
  double all_added_bytes = 0;

  // Where the two ends of a message are told apart, and the two directions of a link.
  double handled_messages = 0;  // that the busiest process sends, and that it takes
  double handled_bytes = 0;     // likewise
  double link_bytes = 0;        // through the busiest link the way that carries more
  double message_bytes = 0;     // of one message: what a hop passes on as a whole
  double pushed_bytes = 0;      // of link_bytes, contributions; all where sums are not told apart
  double left_share = 0;        // of pushed_bytes, as many of sums go back when all these have come

  bool operator==(const ExchangeWork&) const = default;
};

/// Counts by the textbooks' formulas, with m(x) = ceil(x / message_bytes) messages for x bytes, for
/// an exchange that all begin together:
///
///   K servers        2 hops; (c+1) max(N m(S/K), K m(S/K)); (c+1) S max(N/K, 1) bytes
///   to the owners    2 hops; (c+1)(N-1) m(S/N); (c+1)(N-1) S/N
///   direct           1 hop;  c(N-1) m(S); c(N-1) S
///   halving          2 log2(N) hops; the sum over k = 1..log2(N) of 2 m(S/2^k); of 2 S/2^k
///   ring             2(N-1) hops; 2(N-1) m(S/N); 2(N-1) S/N
///
/// Where zeros are left out, a sum S' is larger than a contribution S: (c+1) S is c S + S' then,
/// and 2 S on the way of halving and ring S + S'.
///
/// With servers a link carries contributions one way and sums the other. The first sums can go back
/// when every worker's first message has come, one of the m that each sends, and the last when the
/// slowest worker's last one has: senders get uneven shares of a link. An owner hears the others
/// while it sends its own contributions. The acknowledgements of these come behind what fills its
/// link, so that other owners hear it last, and its sums follow when all contributions have come:
/// byte counters of four and eight owners show the one way idle while the other is full. With one
/// other there is nobody to wait for.
///
/// Servers: Jaeger et al. 2018 section 1.3 of our notes: 2SN/B for one server; Gebremeskel 2018,
/// 3.2, for K. Owners are the decentralized servers of the former: 2S(N-1)/(NB). Ring:
/// Gebremeskel 3.2 and Kahira et al. 2021, 4.1. Halving: Thakur, Rabenseifner, Gropp 2005. `added`
/// is (cN-1) times what one process sums. For the methods of `algorithm: auto` the times are those
/// of predictedSeconds() (exchange/membership/method_choice.h).
///
/// Requires workers, servers, contributions >= 1, message_bytes > 0. Halving with another number
/// than a power of two is the exchange with owners.
ExchangeWork exchangeWork(const ExchangeShape& shape);

}  // namespace sumac::planner
