#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/yaml/node.h"
#include "kube/client/kubeconfig.h"

namespace sumac::kube {

/// Reads the fields of one map of a kubeconfig and collects what is wrong with it. Values are never
/// put into messages: many are secrets. A null node, or none, has no fields.
class KubeconfigFields {
 public:
  /// `where`: "/home/me/.kube/config: user `admin`". `node` and `problems` outlive this.
  KubeconfigFields(const yaml::Node* node, std::filesystem::path folder, std::string where,
                   std::vector<std::string>& problems);

  /// Empty where there is none.
  std::string text(std::string_view name);
  bool flag(std::string_view name);
  std::filesystem::path path(std::string_view name);
  std::vector<std::string> texts(std::string_view name);
  /// `name` is a file, `name`-data its content in base64; both are refused.
  PemSource pem(const std::string& name);

  const yaml::Node* find(std::string_view name) const;
  KubeconfigFields inner(std::string_view name) const;
  const std::filesystem::path& folder() const { return folder_; }

  void refuse(const std::string& problem);
  /// Refuses the field where it is there and not empty.
  void refuseField(std::string_view name, const std::string& advice);

 private:
  const yaml::Node* node_;
  std::filesystem::path folder_;
  std::string where_;
  std::vector<std::string>* problems_;
};

/// `clusters[].cluster` and `users[].user` of a kubeconfig, checked; problems go to `fields`.
KubeconfigCluster readCluster(KubeconfigFields& fields);
KubeconfigUser readUser(KubeconfigFields& fields);

}  // namespace sumac::kube
