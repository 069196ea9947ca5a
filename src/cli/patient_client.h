#pragma once
// A client that repeats a request while the service does not answer, for example because the
// service or its machine restarts.

#include <optional>
#include <string>

#include "app/jobs/service_client.h"
#include "platform/process_signals.h"

namespace ebb::cli {

class PatientClient {
 public:
  PatientClient(app::ServiceClient client, platform::ProcessSignals& signals)
      : client_(std::move(client)), signals_(signals) {}

  /// The body of the answer, or the Error that the service gives. Returns nothing if somebody asked
  /// to stop.
  Result<std::optional<std::string>> Get(const std::string& path);
  /// Waits for `time`. Returns true if somebody asked to stop meanwhile.
  bool Pause(Duration time) { return signals_.WaitForStop(time).has_value(); }
  /// The client that does not wait for the service.
  const app::ServiceClient& client() const { return client_; }

 private:
  app::ServiceClient client_;
  platform::ProcessSignals& signals_;
  bool has_said_ = false;
};

}  // namespace ebb::cli
