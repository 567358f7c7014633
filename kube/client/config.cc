#include "kube/client/config.h"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/core/file.h"
#include "base/core/version.h"
#include "base/yaml/reader.h"
#include "kube/client/in_cluster.h"
#include "kube/client/kubeconfig.h"
#include "kube/client/user_credentials.h"

namespace sumac::kube {
namespace {

namespace fs = std::filesystem;

/// The files that may say something, in order, and whether each must be there.
struct Places {
  std::vector<fs::path> files;
  bool is_explicit = false;
};

Places placesOf(const ConfigOptions& options, const Environment& environment) {
  Places places;
  if (!options.kubeconfig.empty()) {
    places.files.push_back(fs::absolute(options.kubeconfig));
    places.is_explicit = true;
    return places;
  }
  const std::string list = environment.variable("KUBECONFIG");
  std::size_t at = 0;
  while (!list.empty() && at <= list.size()) {
    const auto colon = std::min(list.find(':', at), list.size());
    const std::string name = list.substr(at, colon - at);
    const fs::path file = name.empty() ? fs::path() : fs::absolute(name);
    const bool is_known =
        std::find(places.files.begin(), places.files.end(), file) != places.files.end();
    if (!file.empty() && !is_known) places.files.push_back(file);
    at = colon + 1;
  }
  if (list.empty() && !environment.home.empty()) {
    places.files.push_back(environment.home / ".kube" / "config");
  }
  return places;
}

/// The files that are there.
Result<std::vector<KubeconfigFile>> readFiles(const Places& places) {
  std::vector<KubeconfigFile> files;
  for (const fs::path& path : places.files) {
    auto text = readTextFile(path, yaml::kMaxBytes);
    if (text) {
      files.push_back({path, *std::move(text)});
    } else if (places.is_explicit || text.error().code != ErrorCode::kNotFound) {
      return text.error().within("kubeconfig");
    }
  }
  return files;
}

std::string configJoined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

Error nothingChosen(const Places& places, const Kubeconfig& kubeconfig) {
  if (!kubeconfig.contexts.empty()) {
    return {ErrorCode::kNotFound,
            "the kubeconfig has no current-context; choose one of its "
            "contexts with --context: " +
                configJoined(kubeconfig.contexts)};
  }
  std::vector<std::string> files;
  for (const fs::path& file : places.files)
    files.push_back(file.string());
  return {ErrorCode::kNotFound,
          "no cluster is configured: " +
              (files.empty() ? "neither KUBECONFIG nor HOME is set"
                             : "looked for a kubeconfig in " + configJoined(files)) +
              "; name one with --kubeconfig or KUBECONFIG"};
}

void warn(const KubeconfigContext& chosen, const Log& log) {
  const KubeconfigCluster& cluster = chosen.cluster;
  if (cluster.insecure) {
    log.warn("insecure-skip-tls-verify: anybody on the way can read and change all requests",
             {{"cluster", cluster.name}});
  }
  const bool has_secrets = !chosen.user.token.empty() || !chosen.user.token_file.empty() ||
                           !chosen.user.certificate.empty() || chosen.user.exec.has_value();
  if (has_secrets && cluster.server.starts_with("http://")) {
    log.warn("the server has no TLS: credentials are not sent", {{"server", cluster.server}});
  }
}

Result<ClusterConfig> configFrom(const KubeconfigContext& chosen, const Environment& environment,
                                 const Log& log) {
  auto credentials =
      std::make_shared<UserCredentials>(chosen.cluster, chosen.user, environment, log);
  if (const auto files = credentials->filesOnly(); !files) return files.error();
  warn(chosen, log);
  ClusterConfig config;
  config.server = chosen.cluster.server;
  config.tls_server_name = chosen.cluster.tls_server_name;
  config.name_space = chosen.name_space;
  config.credentials = std::move(credentials);
  if (!chosen.cluster.proxy_url.empty()) config.proxy = *readProxy(chosen.cluster.proxy_url);
  return config;
}

Result<ClusterConfig> find(const ConfigOptions& options, const Environment& environment,
                           const Log& log) {
  const Places places = placesOf(options, environment);
  const auto files = readFiles(places);
  if (!files) return files.error();
  const auto kubeconfig = readKubeconfig(*files, options);
  if (!kubeconfig) return kubeconfig.error();
  if (kubeconfig->chosen) return configFrom(*kubeconfig->chosen, environment, log);
  if (!places.is_explicit && isInCluster(environment)) return inClusterConfig(environment, log);
  return nothingChosen(places, *kubeconfig);
}

}  // namespace

bool isNamespaceName(const std::string& name) {
  constexpr std::size_t kLongest = 63;
  return !name.empty() && name.size() <= kLongest &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
         });
}

Result<ClusterConfig> loadConfig(const ConfigOptions& options, const Log& log) {
  return loadConfig(options, Environment::ofProcess(), log);
}

Result<ClusterConfig> loadConfig(const ConfigOptions& options, const Environment& environment,
                                 const Log& log) {
  auto config = find(options, environment, log);
  if (!config) return config;
  if (!options.name_space.empty()) config->name_space = options.name_space;
  if (config->name_space.empty()) config->name_space = "default";
  if (!isNamespaceName(config->name_space)) {
    const char* const from = options.name_space.empty() ? "the kubeconfig" : "--namespace";
    return Error{ErrorCode::kInvalid, std::string(from) + " says `" + config->name_space +
                                          "`, which is not a valid namespace name: at most 63 "
                                          "characters of a-z, 0-9 and -"};
  }
  config->user_agent = std::string("sumac/") + kVersion;
  if (config->proxy.empty()) {  // that of a kubeconfig wins, and NO_PROXY is not about it
    auto proxy = proxyFor(config->server, environment);
    if (!proxy) return proxy.error();
    config->proxy = *std::move(proxy);
  }
  return config;
}

}  // namespace sumac::kube
