#pragma once

#include <QString>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/config/field_spec.h"
#include "core/config/run_config.h"

namespace kurve::views {

/// What the engine build knows, from `kurve describe --json` (cached per engine build): the studio compiles
/// in no family.
class EngineInfo {
public:
    /// Errors: engine.describe (the document has another shape), and those of schemaFromJson.
    static Result<EngineInfo> fromJson(const nlohmann::json& describe);
    [[nodiscard]] const std::vector<std::shared_ptr<const Schema>>& families() const { return families_; }
    /// Null for an unknown id.
    [[nodiscard]] std::shared_ptr<const Schema> family(const std::string& id) const;
    /// For RunConfig::parse: fails with config.unknown_family, listing the known ones.
    [[nodiscard]] SchemaLookup schemas() const;
    /// The settings that a run recorded, `config` of its values. Errors: those of RunConfig::parse.
    [[nodiscard]] Result<RunConfig> recorded(const std::string& config) const {
        return RunConfig::parse(config, "run.db", schemas());
    }
    /// Ids as --device takes them: "cpu", then the GPUs. Empty until the engine has described itself.
    [[nodiscard]] const std::vector<std::string>& devices() const { return devices_; }
    /// What the engine takes where none is named: the first GPU, else the CPU.
    [[nodiscard]] std::string defaultDevice() const { return devices_.size() > 1 ? devices_[1] : "cpu"; }
    /// Axis text and direction of a logged metric; a plain fallback for unknown ids.
    struct MetricText {
        QString title, unit, doc;
        bool higherIsBetter = false;
        bool logScale = false;
        bool ranked = false;  ///< one direction is better: of an unknown id only where its name says which
    };
    [[nodiscard]] MetricText metric(const std::string& id) const;

private:
    std::vector<std::shared_ptr<const Schema>> families_;
    std::unordered_map<std::string, MetricText> metrics_;
    std::vector<std::string> devices_;
};

}  // namespace kurve::views
