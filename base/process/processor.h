#pragma once

#include <string>

namespace sumac {

/// The model name of this machine's processor, from /proc/cpuinfo.
std::string processorName();

/// How many cores this process may use: those of its affinity mask.
int usableCores();

}  // namespace sumac
