#include "operator/cache/quota_store.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "operator/cache/raw_object.h"

namespace sumac::cache {
namespace {

bool hasMoreRoom(const api::ResourceQuota& old, const api::ResourceQuota& now) {
  return std::ranges::any_of(old.hard, [&](const auto& limit) {
    const auto left = api::leftOf(now, limit.first);
    return !left || *left > api::leftOf(old, limit.first);
  });
}

}  // namespace

std::optional<api::Quotas> QuotaStore::of(const std::string& name_space) const {
  const MutexLock lock(mutex_);
  if (!quotas_) return std::nullopt;
  api::Quotas found;
  for (auto at = quotas_->lower_bound({name_space, ""});
       at != quotas_->end() && at->first.name_space == name_space; ++at)
    found.push_back(at->second);
  return found;
}

std::size_t QuotaStore::size() const {
  const MutexLock lock(mutex_);
  return quotas_ ? quotas_->size() : 0;
}

QuotaStore::Quota QuotaStore::read(const nlohmann::json& object) {
  auto quota = api::quotaFromJson(object);
  if (quota) return std::make_shared<const api::ResourceQuota>(*std::move(quota));
  refused_.fetch_add(1, std::memory_order_relaxed);
  log_.warn("a quota cannot be read and is skipped",
            {{"object", keyOfRaw(object).text()}, {"error", quota.error().message}});
  return nullptr;
}

void QuotaStore::report(const Quota& old, const Quota& now) const {
  if (old && (!now || hasMoreRoom(*old, *now))) has_room_(old->key.name_space);
}

void QuotaStore::replaceBegin() {
  list_.emplace();
}

void QuotaStore::upsert(const nlohmann::json& object) {
  const Quota quota = read(object);
  const api::ObjectKey key = keyOfRaw(object);
  if (list_) {
    if (quota) list_->insert_or_assign(key, quota);
    return;
  }
  if (!quota) return remove(object);
  Quota old;
  {
    const MutexLock lock(mutex_);
    if (!quotas_) quotas_.emplace();
    old = std::exchange((*quotas_)[key], quota);
  }
  report(old, quota);
}

void QuotaStore::replaceEnd() {
  if (!list_) return;
  const ByKey now = *std::exchange(list_, std::nullopt);
  has_told_ = false;
  ByKey before;
  {
    const MutexLock lock(mutex_);
    before = std::exchange(quotas_, now).value_or(ByKey());
  }
  for (const auto& [key, old] : before) {
    const auto found = now.find(key);
    report(old, found == now.end() ? nullptr : found->second);
  }
}

void QuotaStore::remove(const nlohmann::json& last_state) {
  Quota old;
  {
    const MutexLock lock(mutex_);
    if (!quotas_) return;
    const auto found = quotas_->find(keyOfRaw(last_state));
    if (found == quotas_->end()) return;
    old = found->second;
    quotas_->erase(found);
  }
  report(old, nullptr);
}

void QuotaStore::forbid(const std::string& why) {
  list_.reset();
  {
    const MutexLock lock(mutex_);
    quotas_.reset();
  }
  if (std::exchange(has_told_, true)) return;
  log_.warn(
      "quotas cannot be read: jobs that size themselves ask a quota that refused a worker "
      "again every five minutes",
      {{"error", why}});
}

}  // namespace sumac::cache
