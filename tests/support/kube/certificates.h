#pragma once

#include <string>
#include <vector>

namespace sumac::fake {

/// A certificate and its key as PEM texts, made anew for a test.
struct Certificate {
  std::string pem;
  std::string key;
};

/// A CA of its own.
Certificate makeAuthority(const std::string& name);

/// A CA that another one signed.
Certificate makeIntermediate(const Certificate& authority, const std::string& name);

/// A certificate that the authority signed: for a server with these DNS names and IPv4 addresses,
/// or, with neither, for a client of that name.
Certificate issue(const Certificate& authority, const std::string& name,
                  const std::vector<std::string>& dns_names = {},
                  const std::vector<std::string>& addresses = {});

}  // namespace sumac::fake
