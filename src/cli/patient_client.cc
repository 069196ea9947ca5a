#include "cli/patient_client.h"

#include <cstdio>

namespace ebb::cli {
namespace {

constexpr Duration kBetweenTries{1000};

bool MayPass(const Error& error) {
  return error.code == ExitCode::kUnavailable || error.code == ExitCode::kTryLater;
}

}  // namespace

Result<std::optional<std::string>> PatientClient::Get(const std::string& path) {
  for (;;) {
    auto answer = client_.Get(path);
    if (answer) {
      has_said_ = false;
      return std::optional(*std::move(answer));
    }
    if (!MayPass(answer.error())) return Fail(answer.error());
    if (!has_said_)
      std::fprintf(stderr, "ebb: %s; asking again until the service answers\n",
                   answer.error().what.c_str());
    has_said_ = true;
    if (Pause(kBetweenTries)) return std::optional<std::string>();
  }
}

}  // namespace ebb::cli
