#pragma once
// Finds problems and possible improvements on this machine, each with a remedy. It looks at the
// settings, the grid signal, the meters, the service, the disk and the clock. It writes nothing,
// and without a network it is done in a few seconds.

#include <string>
#include <string_view>
#include <vector>

#include "app/jobs/service_place.h"
#include "app/options/user_settings.h"

namespace ebb::app {

enum class Health {
  kFine,
  kAdvice,   ///< works, but could be better
  kProblem,  ///< something does not work
};
/// "fine", "advice" or "problem".
std::string_view Name(Health health);

struct Finding {
  std::string topic;  ///< "zone", "cpu"
  Health health = Health::kFine;
  std::string text;
  std::string remedy{};  ///< advice, for kAdvice and kProblem
};

struct DoctorRequest {
  FlagValues flags;     ///< flags of the signal and of metering
  ServicePlace place;   ///< place of the service
  std::string version;  ///< version of Ebb
};

std::vector<Finding> Examine(const DoctorRequest& request);

// The functions below judge the facts that they are given. Pure.

/// Judges the `year` of the wall clock. `kept`: the kernel reports that the clock is synchronized.
Finding JudgeClock(int year, bool kept);
/// Judges the disk that holds `what`.
Finding JudgeSpace(const std::string& what, const std::string& where, std::uint64_t free_bytes);
/// Judges the version of the service that answered.
Finding JudgeVersion(const std::string& where, const std::string& theirs, const std::string& ours);

}  // namespace ebb::app
