#pragma once

namespace sumac {

/// The number of the arithmetic: two builds with the same number give the same bits for the same
/// job and kernel variant. It stands in the join hash, the bits hash and the numerics id, so that
/// neither a member nor a checkpoint of another arithmetic is taken.
///
/// Raise it with every change after which a job may train to other bits: the order of an addition,
/// a kernel, a tile's shape, an initialiser, the order of samples, dropout, an optimizer, a
/// schedule, the tree of parts. tests/unit/engine/make/numerics_test.cc fails until then.
inline constexpr int kNumerics = 1;

}  // namespace sumac
