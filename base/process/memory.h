#pragma once

namespace sumac {

/// Makes the allocator keep freed memory instead of returning it to the system. Each step allocates
/// and frees messages of half a megabyte, and each page that comes back from the system costs a
/// page fault: on a text network with 19 MB of gradients these took half of a step's time. Call it
/// once, before the first thread; does nothing where the C library has no such settings.
void keepFreedMemory();

/// The opposite, for a process that is idle most of the time and should stay small: few arenas, and
/// large blocks go back to the system when they are freed. Call it once, before the first thread.
void keepMemorySmall();

/// Returns freed memory to the system now, after an unusually large amount was freed. Safe from any
/// thread.
void returnFreedMemory();

}  // namespace sumac
