#include "signals/weather/eccodes.h"

#include <dlfcn.h>

#include <optional>

#include "platform/shared_library.h"

namespace ebb::signals {
namespace {

using platform::FindFunction;

void SayNothing(const CodesContext*, int, const char*) {}
// Returns to the caller of ecCodes by an exception: the state of ecCodes is lost, the process is
// not.
[[noreturn]] void OnAssertion(const char*) { throw EcCodesAssertion{}; }

std::optional<EcCodes> LoadEcCodes() {
  void* library = ::dlopen("libeccodes.so.0", RTLD_NOW | RTLD_LOCAL);  // the name in Debian
  if (!library) library = ::dlopen("libeccodes.so", RTLD_NOW | RTLD_LOCAL);
  if (!library) return std::nullopt;
  EcCodes codes{};
  const bool complete =
      FindFunction(library, "codes_context_get_default", codes.context_get_default) &&
      FindFunction(library, "codes_context_set_logging_proc", codes.context_set_logging_proc) &&
      FindFunction(library, "codes_set_codes_assertion_failed_proc",
                   codes.set_assertion_failed_proc) &&
      FindFunction(library, "codes_get_error_message", codes.get_error_message) &&
      FindFunction(library, "codes_handle_new_from_message", codes.handle_new_from_message) &&
      FindFunction(library, "codes_grib_handle_new_from_samples", codes.handle_new_from_samples) &&
      FindFunction(library, "codes_handle_delete", codes.handle_delete) &&
      FindFunction(library, "codes_get_message", codes.get_message) &&
      FindFunction(library, "codes_get_size", codes.get_size) &&
      FindFunction(library, "codes_get_long", codes.get_long) &&
      FindFunction(library, "codes_get_double", codes.get_double) &&
      FindFunction(library, "codes_get_string", codes.get_string) &&
      FindFunction(library, "codes_get_double_array", codes.get_double_array) &&
      FindFunction(library, "codes_set_long", codes.set_long) &&
      FindFunction(library, "codes_set_double", codes.set_double) &&
      FindFunction(library, "codes_set_string", codes.set_string) &&
      FindFunction(library, "codes_set_double_array", codes.set_double_array);
  if (!complete) return std::nullopt;
  codes.context_set_logging_proc(codes.context_get_default(), SayNothing);
  codes.set_assertion_failed_proc(OnAssertion);
  return codes;
}

}  // namespace

Result<const EcCodes*> LibEcCodes() {
  static const std::optional<EcCodes> codes = LoadEcCodes();
  if (!codes)
    return Fail({ExitCode::kConfiguration, "GRIB files are read with ecCodes, which is not here",
                 "libeccodes.so", "install it (Debian: libeccodes0)"});
  return &*codes;
}

std::unique_lock<std::mutex> EcCodesLock() {
  static std::mutex mutex;
  return std::unique_lock(mutex);
}

}  // namespace ebb::signals
