#include "signals/traces/expat.h"

#include <dlfcn.h>

#include <optional>

namespace ebb::signals {
namespace {

template <typename Function>
bool Find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

std::optional<Expat> LoadExpat() {
  void* library = ::dlopen("libexpat.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return std::nullopt;
  Expat expat{};
  const bool complete =
      Find(library, "XML_ParserCreate", expat.parser_create) &&
      Find(library, "XML_ParserFree", expat.parser_free) &&
      Find(library, "XML_SetUserData", expat.set_user_data) &&
      Find(library, "XML_SetElementHandler", expat.set_element_handler) &&
      Find(library, "XML_SetCharacterDataHandler", expat.set_character_data_handler) &&
      Find(library, "XML_SetStartDoctypeDeclHandler", expat.set_start_doctype_decl_handler) &&
      Find(library, "XML_Parse", expat.parse) &&
      Find(library, "XML_StopParser", expat.stop_parser) &&
      Find(library, "XML_GetErrorCode", expat.get_error_code) &&
      Find(library, "XML_ErrorString", expat.error_string) &&
      Find(library, "XML_GetCurrentLineNumber", expat.get_current_line_number);
  if (!complete) return std::nullopt;
  return expat;
}

}  // namespace

Result<const Expat*> LibExpat() {
  static const std::optional<Expat> expat = LoadExpat();
  if (!expat)
    return Fail({ExitCode::kConfiguration, "XML is read with Expat, which is not here",
                 "libexpat.so.1", "install it (Debian: libexpat1)"});
  return &*expat;
}

}  // namespace ebb::signals
