#pragma once

namespace sumac::job {

/// The largest job. Its roster, one message of at most 64 KiB, must name every member: a test
/// compares.
inline constexpr int kMostWorkers = 1024;
inline constexpr int kMostServers = 256;
/// What a cluster says of a job with a program and without its image.
inline constexpr const char* kImageOfProgram =
    "program needs an image that has it: give the container sumac of worker.template an image "
    "(docs/trainingjob.md#specprogram)";
/// Workers of a job without servers, or of one whose members change: every two of them may have a
/// connection.
inline constexpr int kMostPeers = 256;

}  // namespace sumac::job
