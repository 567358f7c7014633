#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sumac::kube {

/// RFC 4648 section 4, as the API server and kubeconfig files write bytes.
std::string toBase64(std::string_view bytes);

/// The bytes; line ends are skipped. Nothing if the text is not padded base64.
std::optional<std::string> fromBase64(std::string_view text);

}  // namespace sumac::kube
