#pragma once

#include <cstddef>
#include <string>

namespace sumac::api {

// The ConfigMap with the sources of a job's program, spec.program.code: `sumac submit` makes it,
// owned by the job, and workers mount it. It is immutable, as the section is.

/// "mnist-code-1f0a3c52": by the job's uid, so that one with the name of an earlier job does not
/// meet what is left of that.
std::string codeMapName(const std::string& job, const std::string& uid);

/// The key of the file at this place of spec.program.code.files: keys have no slashes.
std::string codeKey(std::size_t index);

}  // namespace sumac::api
