#include "core/schedule/lab_schedule.h"

#include "core/base/check.h"
#include "core/schedule/noise_density.h"
#include "core/schedule/schedule_file.h"

namespace kurve::schedule {

namespace {

/// What a drawn kind begins with.
const FreeCurve& beginning(const std::string& kind) {
    static const auto curveOf = [](const std::string& id) {
        FreeCurve curve;
        for (const FieldSpec& field : findScheduleKind(id)->fields)
            if (field.key == "points") curve = *parseInline(id + ":" + std::get<std::string>(field.fallback));
        return curve;
    };
    static const std::map<std::string, FreeCurve> curves{{"free", curveOf("free")},
                                                         {"free-mask", curveOf("free-mask")}};
    return curves.at(kind);
}

}  // namespace

bool LabSchedule::drawn() const {
    const auto* found = findScheduleKind(kind);
    return found != nullptr && found->drawn;
}

const FreeCurve& LabSchedule::curve() const {
    KURVE_CHECK(drawn(), "{} is not drawn", kind);
    const auto own = curves.find(kind);
    return own == curves.end() ? beginning(kind) : own->second;
}

FreeSettings LabSchedule::settings() const {
    FreeSettings settings;
    const auto set = values.find(kind);
    if (set == values.end()) return settings;
    const auto text = [&](const char* key, const std::string& usual) {
        const auto found = set->second.find(key);
        return found == set->second.end() ? usual : found->second;
    };
    settings.steps = std::stoi(text("steps", std::to_string(settings.steps)));
    settings.noiseFactor = std::stod(text("noise_factor", "1"));
    settings.bend = text("vp_rf", "false") == "true";
    return settings;
}

LabSchedule LabSchedule::withoutFactor() const {
    LabSchedule plain = *this;
    if (parameters().contains("noise_factor")) plain.values[kind]["noise_factor"] = "1";
    return plain;
}

void LabSchedule::draw(const FreeCurve& curve, const FreeSettings& settings) {
    kind = curve.masking ? "free-mask" : "free";
    curves[kind] = curve;
    if (curve.masking) return;
    auto& set = values[kind];
    set["steps"] = std::to_string(settings.steps);
    set["noise_factor"] = fieldValueText(settings.noiseFactor);
    set["vp_rf"] = settings.bend ? "true" : "false";
}

std::unique_ptr<NoiseSchedule> LabSchedule::make() const {
    if (kind.empty()) return nullptr;
    if (drawn()) return makeFreeSchedule(curve(), settings());
    const auto set = values.find(kind);
    auto made = makeSchedule(kind, set == values.end() ? std::map<std::string, std::string>() : set->second);
    return made ? std::move(*made) : nullptr;
}

Result<std::string> LabSchedule::settingText() const {
    if (!drawn()) return kind;
    KURVE_CHECKED(check(curve()));
    return inlineText(curve());
}

Result<std::string> LabSchedule::wholeText() const {
    auto own = parameters(), usual = LabSchedule{kind, {}, {}, {}}.parameters();
    own.erase("steps");
    usual.erase("steps");
    KURVE_TRY(std::string text, settingText());
    return own == usual ? text : inlineText(freeCurveOf(*make()));
}

std::map<std::string, std::string> LabSchedule::parameters() const {
    std::map<std::string, std::string> out;
    const auto* found = findScheduleKind(kind);
    if (found == nullptr) return out;
    const auto set = values.find(kind);
    for (const FieldSpec& field : found->fields) {
        if (found->drawn && (field.type == FieldType::Text || field.key == "zero_terminal")) continue;
        out[field.key] = fieldValueText(field.fallback);
        if (set == values.end()) continue;
        if (const auto own = set->second.find(field.key); own != set->second.end())
            out[field.key] = own->second;
    }
    return out;
}

}  // namespace kurve::schedule
