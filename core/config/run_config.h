#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/config/field_spec.h"

namespace kurve {

/// One "key=value" of --set or of the studio's form.
using Override = std::pair<std::string, std::string>;
/// Gives the schema of a family id, or an error that lists the known ones (config.unknown_family).
using SchemaLookup = std::function<Result<std::shared_ptr<const Schema>>(const std::string& family)>;

/// Validated, immutable settings of one run. Precedence: default < preset < file < overrides.
/// Equal contentHash() = the same experiment. Thread-safe (immutable); copies are cheap (shared).
class RunConfig {
public:
    /// Parses an experiment file. Top-level keys: family (required), name, preset; everything else is a field
    /// of the schema in its table ([model] hidden = 128). Errors carry file, line and field: config.syntax,
    /// config.unknown_key (nearest key suggested), config.unknown_family, config.unknown_preset,
    /// config.wrong_type, config.out_of_range, config.bad_choice, config.bad_run.
    static Result<RunConfig> parse(const std::string& tomlText, const std::string& fileName,
                                   const SchemaLookup& schemas, std::span<const Override> overrides = {});
    static Result<RunConfig> load(const std::string& file, const SchemaLookup& schemas,
                                  std::span<const Override> overrides = {});
    /// A new config with some values changed (fork, live `set`), checked like a file.
    Result<RunConfig> with(std::span<const Override> overrides) const;

    [[nodiscard]] const std::string& family() const;
    [[nodiscard]] const std::string& name() const;
    [[nodiscard]] const std::string& preset() const;
    [[nodiscard]] const Schema& schema() const;

    /// Typed access; an unknown key or another type is a ContractError (our bug, the schema has all keys).
    [[nodiscard]] bool flag(const std::string& key) const;
    [[nodiscard]] std::int64_t integer(const std::string& key) const;
    [[nodiscard]] double real(const std::string& key) const;
    [[nodiscard]] const std::string& text(const std::string& key) const;
    [[nodiscard]] const FieldValue& value(const std::string& key) const;
    [[nodiscard]] bool has(const std::string& key) const;

    /// TOML that parse() reads back to an equal config: family, name, preset and every value, sorted by key.
    [[nodiscard]] std::string canonicalText() const;
    /// SHA-256 over family and the values of the fields that affect the result.
    [[nodiscard]] std::string contentHash() const;
    /// Keys whose value differs from the default (with preset applied first).
    [[nodiscard]] std::vector<std::string> changedKeys() const;

private:
    struct Data;
    std::shared_ptr<const Data> data_;
};

struct ConfigDifference {
    std::string key, left, right;  ///< value texts; empty where a side has no such key
};
/// Keys whose values differ, sorted; works across families.
[[nodiscard]] std::vector<ConfigDifference> difference(const RunConfig& left, const RunConfig& right);

}  // namespace kurve
