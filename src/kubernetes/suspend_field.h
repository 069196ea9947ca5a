#pragma once
// Holds an object and releases it by the field that suspends it.
//
// A release is made at most once for each decision, whatever becomes of its answer: where nobody
// answers, the object is looked at before it is asked for once more, and then only if nobody has
// changed the object meanwhile. Else a release that comes through twice would undo that somebody
// has held the object in between. That it was made stands on the object, as the attempt's number.
//
// Thread contract: that of ApiClient.

#include <functional>
#include <memory>
#include <string>

#include "kubernetes/api_client.h"
#include "kubernetes/gated_object.h"

namespace ebb::kubernetes {

class SuspendField {
 public:
  /// `since_boot`: a clock that nobody sets. `late_release`: one that has not come through in so
  /// long would come at an hour that nobody chose.
  SuspendField(ApiClient& client, std::function<Duration()> since_boot, Duration late_release)
      : client_(client), since_boot_(std::move(since_boot)), late_release_(late_release) {}

  /// Answered by the server's status; an Error: it was not made, or asking again cannot mend it.
  /// Not answered where Hold came after it.
  void Release(const GatedObject& object, int attempt, ApiClient::Done done);
  /// A release that has not been sent is not made, and not answered. False: nobody knows.
  bool TakeBack(const std::string& uid);
  /// Asked until it is answered. `attempt`: that is held; 0: none was released.
  void Hold(const GatedObject& object, int attempt, ApiClient::Done done);
  /// Keeps its pods away from nodes of these models, while it is held back. False: they are, or
  /// nothing can be done about it, which is said.
  bool Avoid(const GatedObject& object, const std::vector<std::string>& models,
             ApiClient::Done done);
  /// Of what somebody else has released: so that it is seen when it is held again, and by the next
  /// process.
  void WriteAttempt(const GatedObject& object, int attempt);

 private:
  struct Asked {
    const GatedKind* kind;
    std::string name_space, name, uid;
    int attempt;
    Duration since;
    ApiClient::Done done;
    int tries = 0;
  };
  void Try(const std::shared_ptr<Asked>& asked, const std::string& version);
  void Tried(const std::shared_ptr<Asked>& asked, const Result<ApiAnswer>& answer);
  void Look(const std::shared_ptr<Asked>& asked, const Result<ApiAnswer>& before);
  void Looked(const std::shared_ptr<Asked>& asked, const Result<ApiAnswer>& before,
              const Result<ApiAnswer>& answer);

  ApiClient& client_;
  std::function<Duration()> since_boot_;
  Duration late_release_;
};

}  // namespace ebb::kubernetes
