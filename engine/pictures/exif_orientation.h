#pragma once

#include "base/core/bytes.h"
#include "engine/pictures/picture.h"

namespace sumac::worker {

/// How EXIF says that a picture is to be turned: 1 (as it is) to 8. `tiff` is what follows
/// "Exif\0\0" in the file. Bytes that are no such thing, or another value, mean 1.
int exifOrientation(BytesView tiff);

/// Whether an orientation makes height of width: 5 to 8.
bool swapsSides(int orientation);

/// The picture as it is to be seen. Requires an orientation from 1 to 8.
Picture turned(Picture picture, int orientation);

}  // namespace sumac::worker
