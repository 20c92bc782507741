#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "core/config/scalar_spec.h"

namespace kurve {

enum class FieldType : std::uint8_t { Flag, Integer, Real, Text, Choice, Run };
using FieldValue = std::variant<bool, std::int64_t, double, std::string>;

/// The only description of a setting. It drives the TOML parser, `kurve describe`, --help, the studio's form,
/// the user guide's reference page and the diff between runs. A value type; built in one expression:
///   integerField("model.hidden", 512, "width of the hidden states").range(8,
///   8192).unit("dims").from("Difformer's code, modules.py")
struct FieldSpec {
    std::string key;  ///< dotted, "model.hidden"; the part before the dot is the group and the TOML table
    FieldType type = FieldType::Text;
    FieldValue fallback;               ///< the default
    std::optional<double> min, max;    ///< inclusive; numbers only
    std::vector<std::string> choices;  ///< Choice only
    /// Choice only: longer texts that begin with one of these are values too ("file:"). What follows is
    /// checked by the reader of the value.
    std::vector<std::string> prefixes = {};
    /// Run only: runs of families with one of these ids or abilities (Schema::provides); empty: of any.
    std::vector<std::string> fitting = {};
    std::string unitText;       ///< "tokens", "s"; empty for pure numbers
    std::string doc;            ///< one line
    std::string source;         ///< paper section or equation, or the reason for it
    bool affectsResult = true;  ///< false: reporting, paths, speed; left out of the content hash
    bool live = false;          ///< may be changed while the run is going (wire `set`)
    /// At its default the experiment is as one without this field: left out of the content hash there.
    bool optional = false;

    FieldSpec&& range(double low, double high) &&;
    FieldSpec&& atLeast(double low) &&;
    FieldSpec&& orPrefixes(std::vector<std::string> texts) &&;
    FieldSpec&& fits(std::vector<std::string> familiesOrAbilities) &&;
    FieldSpec&& unit(std::string text) &&;
    FieldSpec&& from(std::string paperSection) &&;
    FieldSpec&& reportingOnly() &&;  ///< affectsResult = false
    FieldSpec&& changeableLive() &&;
    FieldSpec&& neutralByDefault() &&;  ///< optional = true
};

FieldSpec flagField(std::string key, bool fallback, std::string doc);
FieldSpec integerField(std::string key, std::int64_t fallback, std::string doc);
FieldSpec realField(std::string key, double fallback, std::string doc);
FieldSpec textField(std::string key, std::string fallback, std::string doc);
FieldSpec choiceField(std::string key, std::string fallback, std::vector<std::string> choices,
                      std::string doc);
/// Another run of the project, as "NAME" or "NAME@CHECKPOINT"; by default none.
FieldSpec runField(std::string key, std::string doc);

/// Abilities of families: p(text) exactly, token by token;
inline constexpr const char* kExactLikelihood = "exact-likelihood";
/// a vector for every chunk of tokens, and the tokens back.
inline constexpr const char* kChunkAutoencoder = "chunk-autoencoder";

/// The value of a field of type Run.
struct RunReference {
    std::string run, checkpoint;  ///< checkpoint: "best", "last", a step or the name of its folder
};
/// Nothing for "", which names no run; without "@" the best checkpoint. Errors: config.bad_run.
Result<std::optional<RunReference>> parseRunReference(const FieldSpec& field, const std::string& text);

/// A named set of values that replace defaults ("tiny", "iwslt14-de-en-kd").
struct Preset {
    std::string name;
    std::string doc;
    std::map<std::string, FieldValue> values;
};

/// All fields that one kind of experiment has (the common ones and the family's), in display order.
struct Schema {
    std::string family;  ///< "difformer"
    std::string title, paper;
    std::vector<FieldSpec> fields;
    std::vector<Preset> presets;
    /// What runs of it can do for others (kExactLikelihood, kChunkAutoencoder).
    std::vector<std::string> provides = {};
    /// Which prompts its models take, by data.kind: "source", or "nothing", "prefix", "infill"
    /// (text::PromptKind).
    std::map<std::string, std::vector<std::string>> prompts = {{"pairs", {"source"}}};
    /// What its training logs beside what every training does (metrics::commonScalars()).
    std::vector<ScalarSpec> scalars = {};
    std::map<std::string, std::string> groups =
        {};  ///< titles of the fields' groups: {"map", "Sentence curve"}

    [[nodiscard]] const FieldSpec* find(const std::string& key) const;
    [[nodiscard]] const Preset* preset(const std::string& name) const;
    /// Whether a field of type Run takes runs of this family.
    [[nodiscard]] bool fits(const FieldSpec& field) const;
};

/// Parses text ("0.1", "true", "tiny") as the field's type and checks range and choices.
/// Errors: config.wrong_type, config.out_of_range, config.bad_choice, config.bad_run; `field` is set to the
/// key.
Result<FieldValue> parseFieldValue(const FieldSpec& field, const std::string& text);
/// Checks an already typed value (an integer is accepted for a real).
Result<FieldValue> checkFieldValue(const FieldSpec& field, FieldValue value);
/// Shortest text that parses back to the same value.
[[nodiscard]] std::string fieldValueText(const FieldValue& value);

/// The form `kurve describe --json` prints:
/// {"key","type","default","min","max","choices","unit","doc","source","affects_result","live","optional"},
/// of a field of type Run also "fits"; a schema is
/// {"id","title","paper","fields","presets","prompts","provides","scalars","groups"}.
nlohmann::json toJson(const FieldSpec& field);
nlohmann::json toJson(const Schema& schema);
nlohmann::json toJson(const FieldValue& value);
/// {"id","title","unit","better","doc","log_scale","chart"}, better "higher" or "lower".
nlohmann::json toJson(const ScalarSpec& scalar);
/// Throws json::exception.
ScalarSpec scalarFromJson(const nlohmann::json& json);
Result<Schema> schemaFromJson(const nlohmann::json& json);

}  // namespace kurve
