#include "base/core/check.h"
#include "kube/api/json.h"
#include "kube/api/storage.h"
#include "kube/api/template_merge.h"
#include "kube/client/list_page.h"
#include "kube/client/watch_event.h"
#include "tests/fuzz/harness/harness.h"
#include "tests/fuzz/harness/printed.h"

namespace sumac::fuzz {
namespace {

using nlohmann::json;

/// The status that we would write back is taken again, and writes itself the same.
void checkStatus(const api::TrainingJob& job) {
  const json update = api::statusUpdate(job, job.status);
  const auto again = api::jobFromJson(update);
  SUMAC_CHECK(again.has_value(), again ? "" : again.error().message, printed(update));
  SUMAC_CHECK(api::toJson(again->status) == update["status"], printed(update));
}

/// A template that is taken can be merged, twice with the result of once.
void checkTemplate(const json& pod_template) {
  const json base = {{"spec", {{"containers", {{{"name", "sumac"}, {"image", "a"}}}}}}};
  const auto merged = api::mergeTemplates(base, pod_template);
  requireReason(merged);
  if (!merged) return;
  const auto again = api::mergeTemplates(*merged, pod_template);
  SUMAC_CHECK(again.has_value() && *again == *merged, printed(*merged));
}

void checkObject(const json& object) {
  requireReason(api::metaFromJson(object));
  requireReason(api::podFromJson(object));
  const auto job = api::jobFromJson(object);
  requireReason(job);
  if (!job) return;
  checkStatus(*job);
  if (job->document->empty()) return;
  const json document = *job->document;
  requireReason(api::checkTemplates(document));
  (void)api::outlivesPod(document, "checkpoint", json());
  const json& spec = document["spec"];
  if (!spec.is_object() || !spec.contains("worker") || !spec["worker"].is_object()) return;
  if (spec["worker"].contains("template")) checkTemplate(spec["worker"]["template"]);
}

}  // namespace

void kube(BytesView input) {
  const std::string text(asText(input));
  requireReason(kube::readListPage(text, checkObject));
  const auto event = kube::readWatchEvent(text);
  requireReason(event);
  if (event) checkObject(event->object);
  const json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!object.is_discarded()) checkObject(object);
}

}  // namespace sumac::fuzz
