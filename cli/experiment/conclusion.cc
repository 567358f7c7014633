#include "cli/experiment/conclusion.h"

#include "base/core/units.h"

namespace sumac::cli {

std::string keptText(int used, int there) {
  std::string text;
  if (used > 0) text = "; " + counted(used, "run") + " of an earlier start kept";
  if (there > used) {
    const int beyond = there - used;
    text += "; " + counted(beyond, "run") + " beyond the repetitions " +
            (beyond == 1 ? "is" : "are") + " kept and not used; raise spec.repetitions to use " +
            (beyond == 1 ? "it" : "them");
  }
  return text;
}

std::string nothingMeasuredText(std::int64_t failed) {
  std::string text = "no run was measured yet";
  if (failed > 0) text += ", and " + counted(failed, "cell") + " failed, with the causes above";
  return text;
}

std::string failureText(std::int64_t failed) {
  return "error: " + counted(failed, "cell") +
         " failed; once the cause is gone, the same command tries " +
         (failed == 1 ? "it" : "them") + " again";
}

}  // namespace sumac::cli
