#include "common/tensor/aligned_buffer.h"

namespace sumac {

AlignedBuffer::AlignedBuffer(std::size_t size)
    : values_(new (std::align_val_t{kAlignment}) float[size]()), size_(size) {}

}  // namespace sumac
