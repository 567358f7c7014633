#include <algorithm>

#include "job/document/field.h"
#include "job/document/rule_tools.h"

namespace sumac::job::internal {

namespace {

Field text(std::string name, std::string description, bool required = false) {
  return {.name = std::move(name),
          .type = Type::kString,
          .text = std::move(description),
          .required = required,
          .max_length = 1024};
}

Field readOnly() {
  return {.name = "readOnly", .type = Type::kBoolean, .text = "Mounted read-only."};
}

std::vector<Field> volumeKinds() {
  return {
      {.name = "persistentVolumeClaim",
       .text = "A claim in the job's namespace; ReadWriteMany for more than one pod.",
       .fields = {text("claimName", "Name of the claim.", true), readOnly()}},
      {.name = "emptyDir",
       .text = "A folder that is deleted with the pod.",
       .fields = {text("medium", "\"\" or Memory."),
                  {.name = "sizeLimit", .type = Type::kQuantity, .text = "Maximum size."}}},
      {.name = "hostPath",
       .text = "A folder of the node.",
       .fields =
           {text("path", "Path on the node.", true),
            text("type",
                 "Kubernetes' check before mounting: Directory, DirectoryOrCreate and so on.")}},
      {.name = "nfs",
       .text = "An NFS export.",
       .fields = {text("server", "Host name or address.", true),
                  text("path", "Path that the server exports.", true), readOnly()}},
      {.name = "csi",
       .text = "An inline volume of a CSI driver.",
       .fields = {text("driver", "Name of the driver.", true),
                  text("fsType", "File system, where the driver asks."),
                  readOnly(),
                  {.name = "volumeAttributes",
                   .type = Type::kStringMap,
                   .text = "Attributes for the driver."},
                  {.name = "nodePublishSecretRef",
                   .text = "Secret for the driver.",
                   .fields = {text("name", "Name of the secret.", true)}}}}};
}

constexpr std::string_view kKindsGiven =
    "[has(self.persistentVolumeClaim), has(self.emptyDir), has(self.hostPath), has(self.nfs), "
    "has(self.csi)].filter(given, given).size()";

bool isNotRoot(const yaml::Node& self) {
  const std::string_view path = textOf(self, "path");
  return path.empty() || path.find_first_not_of('/') != path.npos;
}

std::vector<Rule> folderRules() {
  return {{kNamesFolder,
           "path is a folder: write ~ out, such as /results; for storage behind a URL, mount it",
           namesFolder, "path"},
          {"!has(self.path) || !self.path.matches('^/+$')",
           "a volume at / would hide the container's own files: name a folder, such as /results",
           isNotRoot, "path"}};
}

std::ptrdiff_t kindsIn(const yaml::Node& volume) {
  return std::ssize(volume.fields) - (has(volume, "subPath") ? 1 : 0);
}

}  // namespace

Field volume() {
  std::vector<Field> fields = volumeKinds();
  fields.push_back({.name = "subPath",
                    .type = Type::kString,
                    .text = "Folder of the volume that is mounted instead of all of it, so that "
                            "several jobs can share a volume: runs/lenet5.",
                    .pattern = kFolderPattern,
                    .max_length = 1024});
  return {
      .name = "volume",
      .text =
          "The volume mounted at path in the pods, of exactly one kind; may be left out. Sections "
          "with the same path must have the same volume and subPath. Not used by `sumac run`.",
      .rules = {{std::string(kKindsGiven) + " <= 1", "at most one kind of volume may be given",
                 [](const yaml::Node& self) { return kindsIn(self) <= 1; }},
                {"!has(self.subPath) || " + std::string(kKindsGiven) + " == 1",
                 "subPath needs a kind of volume, such as persistentVolumeClaim",
                 [](const yaml::Node& self) { return !has(self, "subPath") || kindsIn(self) != 0; },
                 "subPath"}},
      .fields = std::move(fields)};
}

Field checkpointSection() {
  return {
      .name = "checkpoint",
      .text =
          "Where and how often the state of training is kept; without it a restart begins "
          "at step 0.",
      .change = Change::kNever,
      .rules = folderRules(),
      .fields = {
          {.name = "path",
           .type = Type::kString,
           .text = "Folder of the checkpoints in the pods; `sumac run` keeps them in the folder "
                   "`checkpoints` of its output folder, and says so. Each checkpoint records its "
                   "job's metadata.name, model and data; a job resumes only from its own.",
           .max_length = 1024,
           .schema_default = "/checkpoints"},
          {.name = "everySteps",
           .type = Type::kInteger,
           .text = "Steps between two checkpoints.",
           .minimum = 1,
           .maximum = 1'000'000'000,
           .resolver_default = "500"},
          {.name = "everySeconds",
           .type = Type::kInteger,
           .text = "Seconds from one checkpoint to the next, beside everySteps: whichever comes "
                   "first. The checkpoint is of the next step whose number is a multiple of 10. "
                   "Left out: only by steps; but `sumac run` sets 60 where the job gives "
                   "neither, with or without this section.",
           .minimum = 1,
           .maximum = 1'000'000'000},
          {.name = "keep",
           .type = Type::kInteger,
           .text = "Number of newest checkpoints to keep.",
           .minimum = 1,
           .maximum = 1000,
           .resolver_default = "3"},
          volume()}};
}

Field outputSection() {
  return {
      .name = "output",
      .text =
          "Where worker 0 writes the trained model, the result, the metrics and "
          "the curve.",
      .change = Change::kNever,
      .rules = folderRules(),
      .fields = {{.name = "path",
                  .type = Type::kString,
                  .text = "Folder of these files in the pods; `sumac run` uses its output folder.",
                  .required = true,
                  .max_length = 1024},
                 {.name = "tensorboard",
                  .type = Type::kBoolean,
                  .text = "Whether events.out.tfevents.* are written there, which `tensorboard "
                          "--logdir` shows. Left out: under `sumac run` and by a program that "
                          "runs alone, not in a cluster."},
                 volume()}};
}

}  // namespace sumac::job::internal
