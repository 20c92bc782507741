#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/config/field_spec.h"

namespace kurve::detail {

/// One "key = value" of a TOML file, its tables flattened into a dotted key.
struct TomlEntry {
    std::string key;                  ///< "model.hidden"
    std::optional<FieldValue> value;  ///< empty: of a type that no setting has, see typeText
    std::string typeText;             ///< "an array", "a date"
    int line = 0;
};

/// Entries in the order of the file (empty tables are left out). Errors: config.syntax with file and line.
Result<std::vector<TomlEntry>> readTomlEntries(const std::string& text, const std::string& fileName);

/// A TOML literal of the value; strings are quoted.
std::string tomlLiteral(const FieldValue& value);
/// Dotted keys with their values as TOML: those without a table first, then every table once.
std::string tomlTables(const std::map<std::string, FieldValue>& values);

}  // namespace kurve::detail
