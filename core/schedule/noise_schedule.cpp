#include "core/schedule/noise_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/schedule/detail/schedule_kinds.h"
#include "core/schedule/schedule_file.h"

namespace kurve::schedule {
namespace {

Error unknownSchedule(const std::string& id) {
    std::vector<std::string> known;
    for (const ScheduleKind& kind : scheduleKinds()) known.push_back(kind.id);
    const auto near = nearestWord(id, known);
    return requestError("schedule.unknown", fmt::format("there is no noise schedule “{}”", id))
        .fix((near ? "did you mean " + *near + "? " : std::string()) + "known: " + join(known, ", "));
}

Error unknownParameter(const ScheduleKind& kind, const std::string& key) {
    std::vector<std::string> known;
    for (const FieldSpec& field : kind.fields) known.push_back(field.key);
    const auto near = nearestWord(key, known);
    return requestError("config.unknown_key", fmt::format("schedule {} has no such parameter", kind.id))
        .at(key)
        .fix((near ? "did you mean " + *near + "? " : std::string()) + "it has: " + join(known, ", "));
}

}  // namespace

double NoiseSchedule::logSnr(double s) const {
    const double signal = alpha(s);
    if (const auto masked = maskProbability(s)) return std::log(signal / *masked);
    return 2 * std::log(signal / sigma(s));
}

std::span<const ScheduleKind> scheduleKinds() {
    static const std::vector<ScheduleKind> kinds{
        detail::sqrtKind(),       detail::linearKind(),           detail::cosineKind(),
        detail::sigmoidKind(),    detail::quadraticKind(),        detail::edmKind(),
        detail::cdcdKind(),       detail::logLinearKind(),        detail::cosineMaskKind(),
        detail::linearMaskKind(), detail::continuousCosineKind(), detail::freeKind(),
        detail::freeMaskKind(),
    };
    return kinds;
}

const ScheduleKind* findScheduleKind(const std::string& id) {
    const auto kinds = scheduleKinds();
    const auto at = std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) { return kind.id == id; });
    return at == kinds.end() ? nullptr : &*at;
}

namespace {

/// The kind and the values of it that "file:…" and "free:…" stand for; other ids and values as they are.
struct Named {
    std::string id;
    std::map<std::string, std::string> values;
};
Result<Named> resolved(Named named, const std::filesystem::path& project) {
    KURVE_TRY(const std::string text, inlined(named.id, project));
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos) return named;
    KURVE_TRY(const FreeCurve curve, parseInline(text));
    for (const char* key : {"points", "zero_terminal"})
        if (named.values.contains(key))
            return requestError("config.unknown_key", "is set by the schedule's file or name already")
                .at(key)
                .fix("change it there");
    named.id = text.substr(0, colon);
    named.values["points"] = pointsText(curve.points);
    named.values["zero_terminal"] = curve.zeroTerminal ? "true" : "false";
    return named;
}

}  // namespace

Result<std::unique_ptr<NoiseSchedule>> makeSchedule(const std::string& id,
                                                    const std::map<std::string, std::string>& values,
                                                    const std::filesystem::path& project) {
    KURVE_TRY(const Named named, resolved({id, values}, project));
    const ScheduleKind* kind = findScheduleKind(named.id);
    if (kind == nullptr) return unknownSchedule(named.id);
    std::map<std::string, FieldValue> parsed;
    for (const FieldSpec& field : kind->fields) parsed[field.key] = field.fallback;
    for (const auto& [key, text] : named.values) {
        const auto field = std::find_if(kind->fields.begin(), kind->fields.end(),
                                        [&, &name = key](const auto& f) { return f.key == name; });
        if (field == kind->fields.end()) return unknownParameter(*kind, key);
        KURVE_TRY(parsed[key], parseFieldValue(*field, text));
    }
    if (kind->check != nullptr) KURVE_CHECKED(kind->check(parsed));
    return kind->make(parsed);
}

}  // namespace kurve::schedule
