#pragma once

#include "exchange/membership/roster.h"
#include "exchange/wire/header.h"

namespace sumac::wire {

/// The roster that a message is of.
inline RosterOrder orderOf(const Header& header) {
  return {header.term, header.generation};
}

}  // namespace sumac::wire
