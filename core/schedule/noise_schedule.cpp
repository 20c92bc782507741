#include "core/schedule/noise_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/schedule/detail/schedule_kinds.h"

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
        detail::sqrtKind(), detail::linearKind(),    detail::cosineKind(),           detail::edmKind(),
        detail::cdcdKind(), detail::logLinearKind(), detail::continuousCosineKind(),
    };
    return kinds;
}

const ScheduleKind* findScheduleKind(const std::string& id) {
    const auto kinds = scheduleKinds();
    const auto at = std::find_if(kinds.begin(), kinds.end(), [&](const ScheduleKind& kind) {
        return kind.id == id || std::find(kind.aliases.begin(), kind.aliases.end(), id) != kind.aliases.end();
    });
    return at == kinds.end() ? nullptr : &*at;
}

Result<std::unique_ptr<NoiseSchedule>> makeSchedule(const std::string& id,
                                                    const std::map<std::string, std::string>& values) {
    const ScheduleKind* kind = findScheduleKind(id);
    if (kind == nullptr) return unknownSchedule(id);
    std::map<std::string, FieldValue> parsed;
    for (const FieldSpec& field : kind->fields) parsed[field.key] = field.fallback;
    for (const auto& [key, text] : values) {
        const auto field = std::find_if(kind->fields.begin(), kind->fields.end(),
                                        [&, &name = key](const auto& f) { return f.key == name; });
        if (field == kind->fields.end()) return unknownParameter(*kind, key);
        KURVE_TRY(parsed[key], parseFieldValue(*field, text));
    }
    return kind->make(parsed);
}

}  // namespace kurve::schedule
