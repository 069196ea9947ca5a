#pragma once
// Asks the service for as long as somebody waits: while it does not answer, because it restarts or
// the machine that it runs on does, the same is asked again.

#include <optional>
#include <string>

#include "app/jobs/service_client.h"
#include "platform/process_signals.h"

namespace ebb::cli {

class PatientClient {
 public:
  PatientClient(app::ServiceClient client, platform::ProcessSignals& signals)
      : client_(std::move(client)), signals_(signals) {}

  /// The body of the answer, or the Error that the service gives. Nothing: somebody asked to stop.
  Result<std::optional<std::string>> Get(const std::string& path);
  /// Waits for `time`. Returns true if somebody asked to stop meanwhile.
  bool Pause(Duration time) { return signals_.WaitForStop(time).has_value(); }
  /// Does not wait for the service.
  const app::ServiceClient& client() const { return client_; }

 private:
  app::ServiceClient client_;
  platform::ProcessSignals& signals_;
  bool has_said_ = false;
};

}  // namespace ebb::cli
