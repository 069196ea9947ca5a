#include "config/publication_key.h"

namespace ebb::config {

KeyRule ReadPublicationLag(Given<core::Publication>& out) {
  constexpr const char* kKey = "publication_lag";
  return {kKey, [&out](const YamlNode& value, Problems& problems) {
            Given<std::string> text;
            ReadText(kKey, text).read(value, problems);
            if (!text) return;
            const auto publication = core::PublicationFromText(*text);
            if (publication)
              out = {*publication, text.line};
            else
              problems.Add(text.line, std::string(kKey) + ": " + publication.error().what + ": " +
                                          publication.error().next);
          }};
}

}  // namespace ebb::config
