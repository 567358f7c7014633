#pragma once

#include "base/core/bytes.h"
#include "base/core/result.h"

/// One harness for each format of bytes that come from outside.
///
/// A harness hands any bytes to the code that reads the format, and throws InvariantViolation where
/// a promise of its headers does not hold: what was read is written and read again as the same, a
/// rejection says why. It keeps nothing from one call to the next. libFuzzer looks for inputs that
/// make it fail (`make fuzz`); the inputs in tests/fuzz/corpus are replayed by `make test`.
namespace sumac::fuzz {

/// The calls of a program that loads libsumac, alone: sometimes right, else anything.
void calls(BytesView input);
/// A folder: for each file three bytes of length, little-endian, then all their contents
/// (filesIn() in files.h). What the input lacks is zeros.
void cifar10(BytesView input);
/// A table: the file to train on, the byte 0xFE, the file to test with; the classes are in "y".
void csv(BytesView input);
/// A byte with the length of the header frame (0: 256), the frame, the payload.
void header(BytesView input);
/// A file, plain or gzip.
void idx(BytesView input);
/// A folder, as for cifar10().
void images(BytesView input);
/// A TrainingJob for `sumac run`: YAML or JSON.
void job(BytesView input);
/// The payload of a member's join.
void joinRequest(BytesView input);
/// A member's private key, the end of the line, the public keys of its job.
void keys(BytesView input);
/// What the API server sends: an object, a list or a line of a watch.
void kube(BytesView input);
/// A play of a lane: both ends with a network that loses, repeats and damages what it likes, or one
/// end against any messages.
void lane(BytesView input);
/// A checkpoint's manifest.json.
void manifest(BytesView input);
/// A trained model's file.
void model(BytesView input);
/// Arrays of numpy, in a folder as for cifar10(): x_train, y_train, x_test, y_test, an archive.
void npy(BytesView input);
/// A PNG, whatever its checksums, or a JPEG.
void pictures(BytesView input);
/// The state of a program, as a worker that joins gets it.
void programState(BytesView input);
/// A line of a job about itself, or a member's termination message.
void progress(BytesView input);
/// The payload of the coordinator's roster.
void roster(BytesView input);
/// A safetensors file of one of two small networks, or its header alone.
void safetensors(BytesView input);
/// A play of a server's session, the coordinator's included: messages of members and strangers,
/// broken connections and ticks of the clock.
void session(BytesView input);
/// Up to three files, each after the first preceded by the byte 0xFE: train, valid, test.
void text(BytesView input);
/// A YAML document.
void yaml(BytesView input);

/// Requires that a rejection says why.
template <typename T>
void requireReason(const Result<T>& result) {
  if (!result) SUMAC_CHECK(!result.error().message.empty());
}

}  // namespace sumac::fuzz
