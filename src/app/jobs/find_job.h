#pragma once
// Finds the job that a person means, by its number or by its name.

#include <string>

#include "app/jobs/service_client.h"

namespace ebb::app {

enum class JobsMeant {
  kLive,  ///< jobs that have not ended
  kAll,   ///< all jobs; if no live job has the name, the one that ended last
};

/// The number of the job; a number is taken as it is. An Error if no job has the name, or if
/// several live jobs have it.
Result<long long> FindJob(const ServiceClient& client, const std::string& word, JobsMeant meant);

}  // namespace ebb::app
