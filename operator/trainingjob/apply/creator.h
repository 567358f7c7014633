#pragma once

#include <string>
#include <vector>

#include "operator/trainingjob/apply/apply_pass.h"
#include "operator/trainingjob/apply/create_object.h"
#include "operator/trainingjob/state/actions.h"

namespace sumac::trainingjob {

/// Creates the children and pods of one job. A create that was rejected is held back for a while:
/// the notes say until when and why.
///
/// The executor's threads send the requests and share only constant data. The thread of the pass
/// evaluates the answers.
class Creator {
 public:
  explicit Creator(ApplyPass& pass) : pass_(pass) {}  // outlives us

  /// Returns whether all children that pods need exist.
  bool createChildren(const std::vector<CreateChild>& wanted);
  void createPods(const std::vector<CreatePod>& wanted);

  /// Drops the holds that have ended and whose objects the decision no longer wants.
  void forgetOldHolds();

 private:
  void createInParallel(const std::vector<Child>& children);
  Creation createChild(Child child) const;
  Creation createPod(const CreatePod& pod) const;
  bool learnVolumes(std::vector<CreatePod>& pods);
  std::string nameOf(const CreatePod& pod) const;
  bool hasOtherChildren() const;
  bool mayTry(const std::string& what);
  void evaluate(const std::string& what, const Creation& creation);
  void adoptChild(Child child, const Creation& creation);
  void awaitOther(const std::string& what, const Refusal& absence);
  void adoptRecord(const nlohmann::json& config_map);
  bool hasNextSecret() const;
  void tryNextSecret();
  void rememberPod(const nlohmann::json& live);

  ApplyPass& pass_;
};

}  // namespace sumac::trainingjob
