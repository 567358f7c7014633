#pragma once

namespace sumac {

/// Has the allocator keep what is freed instead of giving it back to the system. Messages of half a
/// megabyte come and go in every step, and each page that comes back from the system costs a fault:
/// on a text network with 19 MB of gradients these made half of a step's time. Call it once, before
/// the first thread; does nothing where the C library has no such settings.
void keepFreedMemory();

/// The opposite, for a process that rests most of the time and is measured by what it holds: few
/// arenas, and large blocks go back to the system when they are freed. Call it once, before the
/// first thread.
void keepMemorySmall();

/// Gives back what was freed, after an unusual amount of it. Safe from any thread.
void returnFreedMemory();

}  // namespace sumac
