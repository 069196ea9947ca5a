#pragma once
// Which job of the service a person means: by its number, or by its name.

#include <string>

#include "app/jobs/service_client.h"

namespace ebb::app {

enum class JobsMeant {
  kLive,  ///< jobs that have not ended
  kAll,   ///< if none of them has the name, the one that ended last
};

/// The number of the job. A number is taken as it is. An Error if no job has the name, or if
/// several jobs that have not ended do.
Result<long long> FindJob(const ServiceClient& client, const std::string& word, JobsMeant meant);

}  // namespace ebb::app
