#include "views/runs/live_changes.h"

#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/wire/fields.h"

namespace kurve::views {

std::vector<Override> liveChanges(const std::filesystem::path& runFolder, const store::RunFile& checkpoint) {
    const auto folder = checkpoint.in(runFolder);
    const auto text = folder ? readFile(*folder / "state.json") : Result<std::string>(folder.error());
    if (!text) return {};
    const auto state = nlohmann::json::parse(*text, nullptr, false);
    std::vector<Override> changes;
    for (const nlohmann::json& change : wire::Fields(state).list("live"))  // [step, key, value]
        if (const auto texts = wire::textsIn(change); texts.size() == 2)
            changes.emplace_back(texts[0], texts[1]);
    return changes;
}

}  // namespace kurve::views
