#include "config/publication_key.h"

#include "config/section_table.h"

namespace ebb::config {

KeyRule ReadPublicationLag(const std::string& name, Given<core::Publication>& out) {
  return {name, [name, &out](const YamlNode& value, Problems& problems) {
            Given<std::string> text;
            ReadText(name, text).read(value, problems);
            if (!text) return;
            const auto publication = core::PublicationFromText(*text);
            if (publication)
              out = {*publication, text.line};
            else
              problems.Add(text.line, RefusalText(name, publication.error()));
          }};
}

}  // namespace ebb::config
