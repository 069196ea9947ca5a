#include "meter/gpu/gpu_library.h"

namespace ebb::meter {

const char* Describe(GpuProblem problem) {
  switch (problem) {
    case GpuProblem::kUnsupported:
      return "the GPU does not report it any more";
    case GpuProblem::kNoPermission:
      return "permission is denied";
    case GpuProblem::kLost:
      return "the GPU is lost (it does not answer the driver)";
    case GpuProblem::kOther:
      return "the driver does not answer";
  }
  return "";
}

}  // namespace ebb::meter
