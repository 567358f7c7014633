#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/core/result.h"
#include "kube/client/config.h"

namespace sumac::kube {

/// A kubeconfig file that was read, YAML or JSON.
struct KubeconfigFile {
  std::filesystem::path path;  // absolute: relative paths inside are relative to its folder
  std::string text;
};

/// PEM text that stands in a file, to be read when it is needed, or in the kubeconfig itself.
struct PemSource {
  std::filesystem::path file;
  std::string text;

  bool empty() const { return file.empty() && text.empty(); }
};

struct KubeconfigCluster {
  std::string name;
  std::string server;  // without a slash at its end
  std::string tls_server_name;
  PemSource ca;
  bool insecure = false;
  std::string proxy_url;       // valid for readProxy(); may have a password; empty: none
  std::string exec_extension;  // JSON for exec plugins that ask for it; empty: none
};

/// When an exec plugin may have standard input.
enum class InteractiveMode { kNever, kIfAvailable, kAlways };

/// A program that prints credentials (client.authentication.k8s.io).
struct ExecSpec {
  std::string api_version;
  std::string command;  // with a slash: a path, absolute; without: looked up in PATH
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> variables;
  std::string install_hint;
  bool provide_cluster_info = false;
  InteractiveMode interactive = InteractiveMode::kIfAvailable;
};

struct KubeconfigUser {
  std::string name;
  std::string token;
  std::filesystem::path token_file;
  PemSource certificate;
  PemSource key;
  std::optional<ExecSpec> exec;  // only where there is neither token nor certificate
};

struct KubeconfigContext {
  KubeconfigCluster cluster;
  KubeconfigUser user;  // all empty: anonymous
  std::string name_space;
};

/// What files say together.
struct Kubeconfig {
  std::optional<KubeconfigContext> chosen;  // none: neither the files nor `choice` choose
  std::vector<std::string> contexts;        // all names, for messages
};

/// Merges the files, of which the first that names a cluster, user, context or current-context
/// wins, and picks what `choice` and current-context choose
/// (docs/design/kubernetes-client.md#credentials). Only what is chosen is checked: other entries
/// may use what we reject. Reads no file itself. Fails with kInvalid and a message that names file
/// and entry; never shows secrets.
Result<Kubeconfig> readKubeconfig(const std::vector<KubeconfigFile>& files,
                                  const ConfigOptions& choice);

}  // namespace sumac::kube
