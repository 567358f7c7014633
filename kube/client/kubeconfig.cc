#include "kube/client/kubeconfig.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/yaml/reader.h"
#include "kube/client/kubeconfig_fields.h"

namespace sumac::kube {
namespace {

/// An entry of `clusters`, `users` or `contexts`, and the file that has it.
struct Entry {
  const yaml::Node* node = nullptr;  // what stands in it under `cluster`, `user` or `context`
  const KubeconfigFile* file = nullptr;
  std::string name;
};

struct Merged {
  std::vector<yaml::Node> roots;  // one a file
  std::vector<Entry> clusters, users, contexts;
  std::string current_context;
};

const Entry* find(const std::vector<Entry>& entries, std::string_view name) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const Entry& entry) { return entry.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

std::string namesOf(const std::vector<Entry>& entries) {
  if (entries.empty()) return "none";
  std::string text;
  for (const Entry& entry : entries)
    text += (text.empty() ? "" : ", ") + entry.name;
  return text;
}

/// Adds the entries of one file's list, of those whose name no earlier file has.
Result<void> merge(const yaml::Node& root, const KubeconfigFile& file, std::string_view list_name,
                   std::vector<Entry>& entries) {
  const std::string_view inner = list_name.substr(0, list_name.size() - 1);
  const auto invalid = [&](const std::string& problem) {
    return Error{ErrorCode::kInvalid,
                 file.path.string() + ": `" + std::string(list_name) + "` " + problem};
  };
  const yaml::Node* const list = root.find(list_name);
  if (list == nullptr || list->kind == yaml::Kind::kNull) return {};
  if (list->kind != yaml::Kind::kList) return invalid("must be a list");
  for (const yaml::Node& item : list->items) {
    const yaml::Node* const name = item.find("name");
    if (name == nullptr || name->kind != yaml::Kind::kString || name->text.empty()) {
      return invalid("has an entry without a name; put names such as 1 or true in quotes");
    }
    const Entry* const known = find(entries, name->text);
    if (known != nullptr && known->file == &file) {
      return invalid("has two entries `" + name->text + "`; rename one of them");
    }
    if (known == nullptr) entries.push_back({item.find(inner), &file, name->text});
  }
  return {};
}

Result<void> mergeFile(const yaml::Node& root, const KubeconfigFile& file, Merged& merged) {
  if (root.kind == yaml::Kind::kNull) return {};
  if (root.kind != yaml::Kind::kMap) {
    return Error{ErrorCode::kInvalid,
                 file.path.string() + ": not a kubeconfig: its top level must be a map"};
  }
  if (auto done = merge(root, file, "clusters", merged.clusters); !done) return done;
  if (auto done = merge(root, file, "users", merged.users); !done) return done;
  if (auto done = merge(root, file, "contexts", merged.contexts); !done) return done;
  const yaml::Node* const current = root.find("current-context");
  if (merged.current_context.empty() && current != nullptr) {
    merged.current_context = current->text;
  }
  return {};
}

Result<Merged> mergeAll(const std::vector<KubeconfigFile>& files) {
  Merged merged;
  for (const KubeconfigFile& file : files) {
    auto root = yaml::read(file.text, file.path.string());
    if (!root) return root.error();
    merged.roots.push_back(*std::move(root));
  }
  // Entries point into the roots, which stay where they are from here on.
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (auto done = mergeFile(merged.roots[i], files[i], merged); !done) return done.error();
  }
  return merged;
}

/// The entry that the context or the command line names; kNotFound with the names there are.
Result<const Entry*> pick(const std::vector<Entry>& entries, const std::string& kind,
                          const std::string& name, const std::string& by) {
  const Entry* const entry = find(entries, name);
  if (entry != nullptr) return entry;
  return Error{ErrorCode::kNotFound,
               by + " names the " + kind + " `" + name +
                   "`, which no kubeconfig has; there are: " + namesOf(entries)};
}

KubeconfigFields fieldsOf(const Entry& entry, const std::string& kind,
                          std::vector<std::string>& problems) {
  return KubeconfigFields(entry.node, entry.file->path.parent_path(),
                          entry.file->path.string() + ": " + kind + " `" + entry.name + "`",
                          problems);
}

/// What a context says, with the command line over it.
struct Names {
  std::string cluster, user, name_space;
  std::string by = "the command line";  // who says so, for messages
};

Result<Names> namesFrom(const Merged& merged, const ConfigOptions& choice,
                        const std::string& context, std::vector<std::string>& problems) {
  Names names;
  if (!context.empty()) {
    const std::string by = choice.context.empty() ? "current-context" : "--context";
    const auto entry = pick(merged.contexts, "context", context, by);
    if (!entry) return entry.error();
    KubeconfigFields fields = fieldsOf(**entry, "context", problems);
    names = {fields.text("cluster"), fields.text("user"), fields.text("namespace"),
             (*entry)->file->path.string() + ": context `" + context + "`"};
  }
  const auto prefer = [](std::string& name, const std::string& chosen) {
    if (!chosen.empty()) name = chosen;
  };
  prefer(names.cluster, choice.cluster);
  prefer(names.user, choice.user);
  prefer(names.name_space, choice.name_space);
  return names;
}

std::string kubeconfigJoined(const std::vector<std::string>& problems) {
  std::string text;
  for (const std::string& problem : problems)
    text += (text.empty() ? "" : "\n") + problem;
  return text;
}

Result<KubeconfigContext> choose(const Merged& merged, const ConfigOptions& choice,
                                 const std::string& context) {
  std::vector<std::string> problems;
  const auto names = namesFrom(merged, choice, context, problems);
  if (!names) return names.error();
  KubeconfigContext chosen;
  const auto cluster = pick(merged.clusters, "cluster", names->cluster,
                            choice.cluster.empty() ? names->by : "--cluster");
  if (!cluster) return cluster.error();
  KubeconfigFields cluster_fields = fieldsOf(**cluster, "cluster", problems);
  chosen.cluster = readCluster(cluster_fields);
  chosen.cluster.name = (*cluster)->name;
  if (!names->user.empty()) {
    const auto user =
        pick(merged.users, "user", names->user, choice.user.empty() ? names->by : "--user");
    if (!user) return user.error();
    KubeconfigFields user_fields = fieldsOf(**user, "user", problems);
    chosen.user = readUser(user_fields);
    chosen.user.name = (*user)->name;
  }
  chosen.name_space = names->name_space;
  if (!problems.empty()) return Error{ErrorCode::kInvalid, kubeconfigJoined(problems)};
  return chosen;
}

}  // namespace

Result<Kubeconfig> readKubeconfig(const std::vector<KubeconfigFile>& files,
                                  const ConfigOptions& choice) {
  const auto merged = mergeAll(files);
  if (!merged) return merged.error();
  Kubeconfig kubeconfig;
  for (const Entry& entry : merged->contexts)
    kubeconfig.contexts.push_back(entry.name);
  const std::string context = choice.context.empty() ? merged->current_context : choice.context;
  if (context.empty() && choice.cluster.empty()) return kubeconfig;
  auto chosen = choose(*merged, choice, context);
  if (!chosen) return chosen.error();
  kubeconfig.chosen = *std::move(chosen);
  return kubeconfig;
}

}  // namespace sumac::kube
