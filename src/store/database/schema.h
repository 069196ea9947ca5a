#pragma once
// The tables, as the migrations that make them: migration n brings a database from version n - 1 to
// version n (SQLite's user_version). A migration that was released is never changed; a new version
// adds one at the end. docs/store.md says what the tables hold.

#include <span>
#include <string_view>

namespace ebb::store {

std::span<const std::string_view> Migrations();
inline int SchemaVersion() { return static_cast<int>(Migrations().size()); }

}  // namespace ebb::store
