#pragma once
// What is wrong on this machine, and what would be better, each with its remedy: looks at the
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
  kAdvice,   ///< it works, and could be better
  kProblem,  ///< something does not work
};
/// "fine", "advice", "problem".
std::string_view Name(Health health);

struct Finding {
  std::string topic;  ///< "zone", "cpu"
  Health health = Health::kFine;
  std::string text;
  std::string remedy{};  ///< with kAdvice and kProblem: what to do
};

struct DoctorRequest {
  FlagValues flags;     ///< of the signal and of metering
  ServicePlace place;   ///< of the service
  std::string version;  ///< of Ebb
};

std::vector<Finding> Examine(const DoctorRequest& request);

// The parts that judge what they are told. Pure.

/// `year` of the wall clock; `kept`: the kernel says that something keeps it in step.
Finding JudgeClock(int year, bool kept);
/// Of the disk that holds `what`.
Finding JudgeSpace(const std::string& what, const std::string& where, std::uint64_t free_bytes);
/// Of the service that answered.
Finding JudgeVersion(const std::string& where, const std::string& theirs, const std::string& ours);

}  // namespace ebb::app
