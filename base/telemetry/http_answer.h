#pragma once

#include <string>

namespace sumac {

/// What a server says, and what a client was told. A value type.
struct HttpAnswer {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
};

}  // namespace sumac
