#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "job/document/exchange_method.h"

namespace sumac::cli {

/// One measurement: a vector of this size, exchanged so often.
struct ExchangeCell {
  std::int64_t bytes = 0;
  ExchangeMethod method = ExchangeMethod::kServers;
  int workers = 2;
  int servers = 1;  // of kServers
  int steps = 0;    // measured
  bool is_encrypted = false;

  int serversStarted() const { return method == ExchangeMethod::kServers ? servers : 0; }
};

/// What worker 0 measured.
struct ExchangeFigures {
  double p50 = 0;  // seconds
  double least = 0;
  double most = 0;
  std::int64_t sent_bytes = 0;  // in a step, by worker 0, with headers
  std::int64_t received_bytes = 0;
};

/// Fails with kInvalid unless the bytes make whole values of a network that a document can
/// describe: a multiple of 8 from 1 kB to 1 GB.
Result<void> checkExchangeSize(std::int64_t bytes);

/// How often to exchange so many bytes that it takes about a second.
int defaultSteps(std::int64_t bytes);

/// The TrainingJob that exchanges a cell's vector: of one dense layer with as many parameters.
/// For pods of a cluster it tells them to measure, which on this machine a flag does; the figures
/// are the termination message of worker 0. Requires a size that checkExchangeSize() accepts.
std::string exchangeDocument(const ExchangeCell& cell, bool is_for_pods = false);

/// Reads a worker's result. Fails with kInvalid for another text.
Result<ExchangeFigures> exchangeFigures(const std::string& json);

}  // namespace sumac::cli
