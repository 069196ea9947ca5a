#include "store/accounts/settled_sites.h"

#include "base/field_text.h"

namespace ebb::store {

template <typename Archive, Like<SettledMove> Value>
void Visit(Archive& archive, Value& value) {
  auto& [from, to, begin, takes, network, there] = value;
  archive("from", from);
  archive("to", to);
  archive("begin_ms", begin);
  archive("takes_ms", takes);
  archive("network_uj", network);
  archive("there_uj", there);
}

template <typename Archive, Like<SettledSite> Value>
void Visit(Archive& archive, Value& value) {
  auto& [name, zone, pue, attempts, allowed, first_move, signal] = value;
  archive("name", name);
  archive("zone", zone);
  archive("pue", pue);
  archive("attempts", attempts);
  archive("allowed", allowed);
  archive("first_move", first_move);
  archive("signal", signal);
}

template <typename Archive, Like<SettledSites> Value>
void Visit(Archive& archive, Value& value) {
  auto& [sites, latest, moves, figures] = value;
  archive("sites", sites);
  archive("latest_ms", latest);
  archive("moves", moves);
  archive("figures", figures);
}

std::string SettledSitesText(const SettledSites& sites) { return ToFieldText(sites); }

Result<SettledSites> SettledSitesFrom(const std::string& text) {
  return FromFieldText<SettledSites>(text, "the sites of a settlement");
}

}  // namespace ebb::store
