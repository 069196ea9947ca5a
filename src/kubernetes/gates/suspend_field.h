#pragma once
// Holds an object and releases it by the field that suspends it.
//
// A release is made at most once for each decision, even if its answer is lost: without an answer,
// the object is read before the request is repeated, and only if nobody has changed the object
// meanwhile. Otherwise a release that comes through twice would undo a hold in between. The
// attempt's number on the object shows that the release was made.
//
// Thread contract: that of ApiClient.

#include <functional>
#include <memory>
#include <string>

#include "kubernetes/api/api_client.h"
#include "kubernetes/objects/gated_object.h"

namespace ebb::kubernetes {

class SuspendField {
 public:
  /// `since_boot` is a clock that nobody sets. `late_release`: a release that takes longer to come
  /// through would come at an unplanned time.
  SuspendField(ApiClient& client, std::function<Duration()> since_boot, Duration late_release)
      : client_(client), since_boot_(std::move(since_boot)), late_release_(late_release) {}

  /// Releases the object with so many devices, which it must be able to have. `done` gets the
  /// server's status; an Error: it was not released, or repeating cannot mend it. It is not called
  /// if Hold came afterwards.
  void Release(const GatedObject& object, int attempt, int devices, ApiClient::Done done);
  /// Cancels a release that has not been sent; it gets no answer. False: it may have been sent.
  bool TakeBack(const std::string& uid);
  /// Holds the object; the request is repeated until it is answered. `attempt`: the attempt that is
  /// held; 0: none was released.
  void Hold(const GatedObject& object, int attempt, ApiClient::Done done);
  /// Keeps its pods away from nodes of these models, while it is held back. False: they are kept
  /// away already, or that is impossible, which is reported.
  bool Avoid(const GatedObject& object, const std::vector<std::string>& models,
             ApiClient::Done done);
  /// Writes the attempt of an object that another process released, so that the next hold, and the
  /// next process, can see it.
  void WriteAttempt(const GatedObject& object, int attempt);

 private:
  struct Asked {
    const GatedKind* kind;
    std::string name_space, name, uid;
    int attempt;
    ObjectWidth width;
    int devices;
    Duration since;
    ApiClient::Done done;
    int tries = 0;
  };
  static void FillIn(const Asked& asked, const std::string& version, ApiClient::Change& change);
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
