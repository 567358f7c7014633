#include "base/process/incarnation.h"

#include <random>

namespace sumac {

Incarnation newIncarnation() {
  std::random_device entropy;
  Incarnation incarnation = 0;
  while (incarnation == 0) {
    incarnation = (Incarnation{entropy()} << 32U) | entropy();
  }
  return incarnation;
}

}  // namespace sumac
