#pragma once

#include <cstdint>

#include "exchange/wire/header.h"

namespace sumac {

constexpr Member memberOf(int worker) {
  return {{Role::kWorker, worker}, static_cast<Incarnation>(100 + worker)};
}

/// The header of a worker's message of step 1 in these tests' job.
inline wire::Header fromWorker(int worker, wire::MessageType type, std::uint32_t generation = 1) {
  wire::Header header;
  header.type = type;
  header.job = 7;
  header.term = 1;
  header.generation = generation;
  header.sender = memberOf(worker);
  header.step = 1;
  return header;
}

}  // namespace sumac
