#include "signals/weather/eccodes.h"

#include <dlfcn.h>

#include <optional>

namespace ebb::signals {
namespace {

void SayNothing(const CodesContext*, int, const char*) {}
// Back to whoever called ecCodes: what it held is lost, the process is not.
[[noreturn]] void OnAssertion(const char*) { throw EcCodesAssertion{}; }

template <typename Function>
bool Find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

std::optional<EcCodes> LoadEcCodes() {
  void* library = ::dlopen("libeccodes.so.0", RTLD_NOW | RTLD_LOCAL);  // Debian's name
  if (!library) library = ::dlopen("libeccodes.so", RTLD_NOW | RTLD_LOCAL);
  if (!library) return std::nullopt;
  EcCodes codes{};
  const bool complete =
      Find(library, "codes_context_get_default", codes.context_get_default) &&
      Find(library, "codes_context_set_logging_proc", codes.context_set_logging_proc) &&
      Find(library, "codes_set_codes_assertion_failed_proc", codes.set_assertion_failed_proc) &&
      Find(library, "codes_get_error_message", codes.get_error_message) &&
      Find(library, "codes_handle_new_from_message", codes.handle_new_from_message) &&
      Find(library, "codes_grib_handle_new_from_samples", codes.handle_new_from_samples) &&
      Find(library, "codes_handle_delete", codes.handle_delete) &&
      Find(library, "codes_get_message", codes.get_message) &&
      Find(library, "codes_get_size", codes.get_size) &&
      Find(library, "codes_get_long", codes.get_long) &&
      Find(library, "codes_get_double", codes.get_double) &&
      Find(library, "codes_get_string", codes.get_string) &&
      Find(library, "codes_get_double_array", codes.get_double_array) &&
      Find(library, "codes_set_long", codes.set_long) &&
      Find(library, "codes_set_double", codes.set_double) &&
      Find(library, "codes_set_string", codes.set_string) &&
      Find(library, "codes_set_double_array", codes.set_double_array);
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
