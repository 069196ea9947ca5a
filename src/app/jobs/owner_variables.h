#pragma once
// Variables of a job's environment that say whose it is, for reports (ebb submit --project,
// --user).

namespace ebb::app {

inline constexpr const char* kProjectVariable = "EBB_PROJECT";
inline constexpr const char* kUserVariable = "EBB_USER";

}  // namespace ebb::app
