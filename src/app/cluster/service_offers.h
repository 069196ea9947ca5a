#pragma once
// Objects that were submitted to the service and have no answer yet. The key of a submission is the
// object's uid, so that an object is one job for each controller that offers it; an object whose
// job has ended is submitted again with a number behind the uid.
//
// Thread contract: one thread, the loop's.

#include <deque>
#include <functional>
#include <future>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/event.h"
#include "service/intake/requests.h"
#include "service/service.h"

namespace ebb::app {

/// The uid in a submission's key; empty if the key is not that of an object.
std::string UidOfKey(const std::string& key);

class ServiceOffers {
 public:
  struct Ports {
    /// ExecutorPorts::ask.
    std::function<std::future<Result<service::Answer>>(service::Request)> ask;
    /// The service did not take the job that the executor knows by this number.
    std::function<void(core::JobId number, const Error& why)> refused;
    /// The service has this job of the object, and had none of it before.
    std::function<void(const std::string& uid, core::JobId job)> taken;
  };
  explicit ServiceOffers(Ports ports) : ports_(std::move(ports)) {}

  /// Submits the job of an object; its id is the executor's number. `kind`: of the object.
  void Make(const std::string& uid, const std::string& kind, core::Job job);
  bool Contains(core::JobId number) const { return offers_.contains(number); }
  /// Keeps a fact about the job until the service has a number for it. False: the service has
  /// answered, or was not asked.
  bool Keep(core::JobId number, const engine::Fact& fact);
  /// The executor's number of the offer for which the service makes a job with this key: the oldest
  /// without an answer, because requests are taken in their order. Nothing: all were answered.
  std::optional<core::JobId> NumberOf(const std::string& key) const;
  /// Reports the answers that have come, and returns the facts that were kept for them.
  std::vector<engine::Fact> HearAnswers();

 private:
  struct Offer {
    std::string uid;
    core::Submission submission;
    int times = 0;  // times that its key belonged to a job that had ended
    std::future<Result<service::Answer>> answer{};
    std::vector<engine::Fact> later{};
  };
  void Ask(core::JobId number, Offer& offer);
  /// True: the offer is settled.
  bool HearAnswer(core::JobId number, Offer& offer);

  Ports ports_;
  std::map<core::JobId, Offer> offers_;  // by the executor's numbers
  // Numbers of offers without an answer, by key. An object that is withdrawn and offered again
  // before the first answer has two.
  std::map<std::string, std::deque<core::JobId>> asked_;
};

}  // namespace ebb::app
