#include "views/launch/draft/experiment_pins.h"

#include <filesystem>

namespace kurve::views {

Result<std::vector<Override>> experimentPins(const ExperimentTexts& texts, const SchemaLookup& schemas,
                                             const std::vector<Override>& sets) {
    std::vector<Override> pins;
    if (texts.then == texts.now) return pins;
    KURVE_TRY(const RunConfig then, RunConfig::parse(texts.then, texts.file, schemas, sets));
    KURVE_TRY(const RunConfig now, RunConfig::parse(texts.now, texts.file, schemas, sets));
    if (then.family() != now.family())
        return requestError("draft.family", std::filesystem::path(texts.file).filename().string() +
                                                " now has another model family")
            .fix("reload the draft, or queue it again");
    if (then.name() != now.name()) pins.emplace_back("name", then.name());
    for (const ConfigDifference& d : difference(then, now))
        if (then.has(d.key)) pins.emplace_back(d.key, fieldValueText(then.value(d.key)));
    return pins;
}

}  // namespace kurve::views
