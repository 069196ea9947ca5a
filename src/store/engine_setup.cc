#include "store/engine_setup.h"

#include "engine/fields.h"

namespace ebb::store {
namespace {

constexpr const char* kKey = "engine_setup";

}  // namespace

void PutEngineSetup(ServiceStore& store, const EngineSetup& setup) {
  FieldWriter writer;
  writer.BeginObject();
  writer("policy", setup.policy);
  writer("options", setup.options);
  writer("price_file", setup.price_file);
  writer("price_weight", setup.price_weight);
  writer("priced_from", setup.priced_from);
  writer.EndObject();
  store.SetMeta(kKey, writer.text());
}

Result<std::optional<EngineSetup>> GetEngineSetup(Database& database) {
  EBB_ASSIGN_OR_RETURN(const auto text, GetMeta(database, kKey));
  if (!text) return std::nullopt;
  ParsedText parsed(*text);
  EngineSetup setup;
  if (parsed.error().empty()) {
    FieldReader reader = parsed.root();
    reader("policy", setup.policy);
    reader("options", setup.options);
    reader("price_file", setup.price_file);
    reader("price_weight", setup.price_weight);
    reader("priced_from", setup.priced_from);
  }
  if (!parsed.error().empty())
    return Fail({ExitCode::kConfiguration, parsed.error(), "stored engine setup", ""});
  return setup;
}

}  // namespace ebb::store
