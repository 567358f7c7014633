#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/init/findings.h"
#include "engine/pictures/picture_head.h"
#include "job/model/network.h"

namespace sumac::cli {

enum class NetworkKind : std::uint8_t {
  kLenet5,        // gray images of 28 x 28
  kConvolutions,  // other images
  kDense,         // vectors, and images of a few pixels
  kWords,         // texts
};

/// What a first job does with the data: the figures of its manifest.
struct Proposal {
  std::string name;  // of the job
  NetworkKind network = NetworkKind::kDense;
  model::Shape shape;                         // of a sample; of words {unroll}
  std::optional<worker::PictureSize> resize;  // of pictures
  int channels = 0;                           // of pictures; 0: as they are
  int crop = 0;                               // colored images are mirrored and moved; 0: none is
  std::int64_t held_back = 0;                 // percent of the training samples
  std::int64_t batch_size = 1;
  int parts = 1;
  int epochs = 1;
};

/// Decides so that it learns in seconds to minutes on two cores: a dozen steps an epoch or more,
/// and 600 to 1,000 in all or, of many data, five epochs or ten. Requires data that can be trained
/// on.
Proposal proposalFor(const Findings& findings);

/// A name for a job from that of a folder: "My Photos" becomes "my-photos".
std::string jobNameOf(const std::string& folder);

}  // namespace sumac::cli
