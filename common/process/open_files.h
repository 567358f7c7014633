#pragma once

namespace sumac {

/// Lets this process open as many files as the system allows it at most: a connection takes four of
/// them, and a member of a large job has hundreds. Call it once, before the first connection.
void allowMostOpenFiles();

}  // namespace sumac
