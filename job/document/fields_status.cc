#include "job/document/field.h"

namespace sumac::job::internal {

namespace {

Field integer(std::string name, std::string text) {
  return {.name = std::move(name), .type = Type::kInteger, .text = std::move(text), .minimum = 0};
}

Field words(std::string name, std::string text, int max_length = 253) {
  return {.name = std::move(name),
          .type = Type::kString,
          .text = std::move(text),
          .max_length = max_length};
}

Field time(std::string name, std::string text) {
  return {.name = std::move(name), .type = Type::kTime, .text = std::move(text)};
}

Field section(std::string name, std::string text, std::vector<Field> fields) {
  return {.name = std::move(name), .text = std::move(text), .fields = std::move(fields)};
}

Field conditions() {
  Field status = {.name = "status",
                  .type = Type::kChoice,
                  .text = "Whether it holds.",
                  .required = true,
                  .choices = {{"True"}, {"False"}, {"Unknown"}}};
  Field condition = section(
      "condition", "One condition.",
      {words("type", "Created, Running, Restarting, Suspended, Succeeded or Failed.", 316), status,
       integer("observedGeneration", "Generation of the job that this condition describes."),
       time("lastTransitionTime", "When status last changed."),
       words("reason", "Machine-readable reason in CamelCase.", 1024),
       words("message", "Human-readable message.", 32768)});
  for (Field& field : condition.fields)
    field.required = field.name != "observedGeneration";
  return {.name = "conditions",
          .type = Type::kList,
          .text = "metav1.Condition, all always present.",
          .max_length = 16,
          .fields = {condition}};
}

Field replicaStatus(std::string name) {
  return section(
      std::move(name), "Pods of this role.",
      {integer("desired", "Desired number of pods."),
       integer("active", "Pods that are neither done nor failed."),
       integer("ready", "Pods that are ready."), integer("succeeded", "Pods that ended well."),
       integer("failed", "Pods that failed.")});
}

Field replacement() {
  return section(
      "replacement", "One member.",
      {words("member", "Its role and index: worker-3.", 32),
       integer("failures", "Its pods in a row that failed before they were ready."),
       time("notBefore", "Its pod is created no earlier than this."),
       {.name = "refused",
        .type = Type::kBoolean,
        .text = "It is not created again before the number of workers changes: the job refused it "
                "three times."}});
}

Field recovery() {
  return section("recovery", "State that restarts depend on.",
                 {integer("failures", "Failures in a row without progress."),
                  integer("highestStep", "Highest step of all earlier attempts."),
                  {.name = "handledPodUIDs",
                   .type = Type::kList,
                   .text = "Failed pods that were counted.",
                   .max_length = 8192,
                   .fields = {words("uid", "UID of a pod.", 64)}},
                  integer("disruptions", "Disruptions in a row without progress."),
                  time("notBefore", "Pods of this attempt are created no earlier than this."),
                  {.name = "replacements",
                   .type = Type::kList,
                   .text = "Members that are awaited: new ones, and those whose pod failed.",
                   .max_length = 2048,
                   .fields = {replacement()}}});
}

Field scale() {
  return section(
      "scale", "What the operator remembers when the number of workers changes.",
      {integer(
           "lastRunning",
           "Number of workers of the newest attempt in which all pods ran. The job goes back to "
           "it when there is no room for a larger number."),
       time("since",
            "When the operator began to change the number of workers. Absent once all pods run."),
       section("refused",
               "The number of workers for which the cluster had no room. The operator waits before "
               "it tries that number again.",
               {integer("workers", "Number of workers."),
                integer("generation", "Generation of the job that asked for them."),
                time("time", "When the job went back to lastRunning workers."),
                integer("tries",
                        "How often in a row the operator tried that number and found no room. Each "
                        "try doubles the wait for the next one, from 10 minutes to 4 hours."),
                words("message", "Which pod had no room, and why.", 1024)})});
}

Field observation() {
  return section(
      "observation", "What steps took with so many workers.",
      {integer("workers", "Number of workers that trained."),
       integer("steps", "Steps that the means are of."),
       words("stepSeconds", "Mean time of a step.", 32),
       words("computeSeconds",
             "Of it, what the worker with the most parts computed; the rest is exchange.", 32),
       time("time", "When the newest of them was reported.")});
}

Field autoscaling() {
  return section(
      "autoscaling", "What spec.autoscaling has chosen, and what it depends on.",
      {integer("workersWanted", "The number of workers that the job chose: it is to have so many."),
       words("reason", "Why, in CamelCase: SavesTime, RightSize, Room, ..."),
       words("message", "The same for people, with numbers.", 1024),
       time("lastChangeTime", "When another number was chosen."),
       time("firstStartTime", "When the job first became active: deadlineSeconds count from it."),
       integer("workerSeconds", "Time of all workers that had a node, in all attempts."),
       integer("serverSeconds", "The same of servers."),
       time("accountedTime", "Until when workerSeconds and serverSeconds count."),
       {.name = "observations",
        .type = Type::kList,
        .text = "What the job has seen of each number of workers.",
        .max_length = 16,
        .fields = {observation()}},
       section(
           "search", "How far the search for the right number of workers is.",
           {integer("most", "Workers that bounds and room allowed at the last decision."),
            integer("changes",
                    "Changes since the job began to search: after some, it tries no new number."),
            words("settledStepSeconds",
                  "Time of a step when the number was found to be right; absent before.", 32)}),
       section(
           "room", "More workers than this had no room.",
           {integer("workers", "Number of workers."), time("until", "When more are tried again."),
            integer("tries", "How often in a row more were tried in vain."),
            words("quota",
                  "The ResourceQuota that refused them, if the operator can read it: more are "
                  "tried when it has room, and not before.",
                  253),
            words("requested", "What of it one more worker needs: pods=1.", 1024)}),
       section(
           "pauses", "For how long a change of this job stopped training.",
           {integer("count", "Changes that were measured."), words("seconds", "Mean time.", 32)})});
}

Field membership() {
  return section(
      "membership", "Members of the current attempt, as slot 0 last told.",
      {integer("term", "Of the roster; each process of slot 0 has a higher one."),
       integer("generation", "Of the roster, within its term."),
       integer("changes", "How often members have come or gone while the job trained on."),
       integer("earlierChanges", "Of these, before this term.")});
}

Field progress() {
  return section(
      "progress", "Progress of training.",
      {integer("step", "Steps done."), integer("totalSteps", "Steps in all."),
       integer("percentage", "0 to 100."), integer("epoch", "The current epoch, from 1."),
       words("loss", "Loss of the last steps.", 32),
       words("samplesPerSecond", "Samples per second of all workers.", 32),
       words("batchesPerSecond", "Mini-batches of training.batchSize samples per second.", 32),
       integer("estimatedRemainingSeconds", "Time to the end at this speed."),
       integer("checkpointStep", "Of the newest checkpoint; absent while none is known."),
       integer("checkpointSkippedStep",
               "Of the first checkpoint since then that was skipped, as its folder has no room or "
               "may not be written; absent while checkpoints are kept."),
       time("lastUpdateTime", "When this was written.")});
}

Field result() {
  return section(
      "result", "The result of training.",
      {words("loss", "Loss of the last mini-batch.", 32),
       words("validAccuracy", "Share of the validation split that is classified correctly.", 32),
       words("testAccuracy", "Share of the test data that is classified correctly.", 32),
       words("validPerplexity", "Perplexity on validation text.", 32),
       words("testPerplexity", "Perplexity on test text.", 32),
       words("parametersSha256", "SHA-256 of all parameters.", 64), integer("steps", "Steps done."),
       words("seconds", "Seconds of training in the last attempt.", 32),
       words("samplesPerSecond", "Samples per second of all workers.", 32),
       words("batchesPerSecond", "Mini-batches of training.batchSize samples per second.", 32),
       words("modelPath", "The model file in output; absent if it was deleted with its pod.",
             1024)});
}

Field lastFailure() {
  return section("lastFailure", "The newest failure of a pod.",
                 {words("podName", "Name of the pod."), words("podUID", "UID of the pod.", 64),
                  words("reason", "Machine-readable reason in CamelCase."),
                  integer("exitCode", "Exit code of the main container."),
                  words("message", "The message of the failed process.", 4096),
                  time("time", "When it happened.")});
}

}  // namespace

Field statusSection() {
  Field field = section(
      "status", "What the operator observed; never written by users.",
      {integer("observedGeneration", "Generation of the job that this status describes."),
       words("state", "Summary of the conditions, for the column only.", 32),
       words("workers", "Ready and desired workers: 2/2.", 32),
       integer("attempt", "Number of the current attempt, one life of all pods, from 0."),
       integer("restarts", "Attempts started because a pod failed."),
       integer("replaced", "Pods recreated in the same attempt."),
       integer("resizes", "Changes of the number of workers in the same attempt."),
       integer("disruptions",
               "Attempts started because of a preemption, eviction, deletion or node loss."),
       recovery(),
       scale(),
       autoscaling(),
       membership(),
       conditions(),
       section("replicaStatuses", "Pods by role.",
               {replicaStatus("worker"), replicaStatus("server")}),
       words("workerSelector", "Label selector of the workers, for autoscalers.", 1024),
       words("coordinator", "Pod that coordinates the job."),
       progress(),
       result(),
       lastFailure(),
       words("operatorVersion", "Operator that wrote this.", 64),
       words("templateHash", "Pod templates in force: read again when the job is resumed.", 64),
       time("startTime", "When the job became active."),
       time("completionTime", "When the job ended."),
       time("lastScaleTime", "When the number of workers last changed.")});
  field.ignored = true;
  return field;
}

}  // namespace sumac::job::internal
