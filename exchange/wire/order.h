#pragma once

#include "exchange/membership/roster.h"
#include "exchange/wire/header.h"

namespace sumac::wire {

/// The order of the roster under which a message was sent.
inline RosterOrder orderOf(const Header& header) {
  return {header.term, header.generation};
}

}  // namespace sumac::wire
