#include "operator/trainingjob/names.h"

#include "common/api/labels.h"

namespace sumac::trainingjob {

std::string podName(const std::string& job, Slot slot) {
  return job + "-" + std::string(toString(slot.role)) + "-" + std::to_string(slot.index);
}

std::string childName(const std::string& job, const std::string& uid, Child child) {
  constexpr std::size_t kUidDigits = 8;
  return child == Child::kSecret ? job + "-keys-" + uid.substr(0, kUidDigits) : job;
}

std::string memberSelector(const std::string& job) {
  return std::string(api::kJobLabel) + "=" + job;
}

std::string workerSelector(const std::string& job) {
  return memberSelector(job) + "," + api::kRoleLabel + "=worker";
}

Slot coordinatorOf(const JobRecord& record) {
  return {record.servers > 0 ? Role::kServer : Role::kWorker, 0};
}

}  // namespace sumac::trainingjob
