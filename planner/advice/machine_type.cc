#include "planner/advice/machine_type.h"

namespace sumac::planner {

std::string_view toString(FigureOrigin origin) {
  switch (origin) {
    case FigureOrigin::kMeasured: return "measured";
    case FigureOrigin::kPublished: return "published";
    case FigureOrigin::kGiven: return "given";
  }
  return {};
}

}  // namespace sumac::planner
