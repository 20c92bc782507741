#include "views/launch/draft/starter_experiment.h"

#include <algorithm>
#include <vector>

#include "core/config/experiment_text.h"

namespace kurve::views {

namespace {

constexpr const char* kTrain = ".train.tsv";

/// "data/my" of the first corpus that was imported as data/my.train.tsv; empty if there is none.
std::string firstCorpus(const std::filesystem::path& project) {
    std::vector<std::string> found;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(project / "data", ignored))
        if (const std::string name = entry.path().filename().string(); name.ends_with(kTrain))
            found.push_back("data/" + name.substr(0, name.size() - std::string(kTrain).size()));
    return found.empty() ? std::string() : *std::ranges::min_element(found);
}

}  // namespace

Result<std::string> starterExperiment(const EngineInfo& engine, const std::filesystem::path& project,
                                      const std::string& name) {
    if (engine.families().empty()) return requestError("engine.describe", "the engine is not known yet");
    const Schema& schema = *engine.families().front();
    std::vector<Override> settings;
    const auto isTiny = [](const Preset& preset) { return preset.name == "tiny"; };
    if (std::ranges::any_of(schema.presets, isTiny)) settings.emplace_back("preset", "tiny");
    if (const std::string corpus = firstCorpus(project); !corpus.empty())
        for (const char* split : {"train", "valid", "test"}) {
            const std::string key = std::string("data.") + split, file = corpus + "." + split + ".tsv";
            std::error_code ignored;
            if (schema.find(key) != nullptr && std::filesystem::exists(project / file, ignored))
                settings.emplace_back(key, file);
        }
    KURVE_TRY(const RunConfig config,
              RunConfig::parse("family = \"" + schema.family + "\"\nname = \"" + name + "\"\n", name,
                               engine.schemas(), settings));
    return "# Every setting: kurve describe families " + schema.family + "\n" + experimentText(config, name);
}

}  // namespace kurve::views
