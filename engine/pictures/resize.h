#pragma once

#include "engine/pictures/picture.h"

namespace sumac::worker {

/// The picture, scaled with its aspect kept to the smallest that covers `size`, and of that the
/// middle: where `size` is a square, its shorter side becomes the side.
///
/// A triangle filter as wide as the pixels that become one, first along rows, then along columns,
/// of integers: weights in 1/16384 whose sum is 1, rounded to the nearest after each pass. A
/// picture of that size stays as it is. Requires sides from 1 to 65,535.
Picture resized(Picture picture, PictureSize size);

}  // namespace sumac::worker
