#include "core/store/default_sampler.h"

#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/base/json_depth.h"

namespace kurve::store {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kDeepest = 8;

Error damaged(const fs::path& file, const std::string& why) {
    return workError("sampler.damaged", "no default sampler: " + why)
        .in(file.string())
        .fix("delete the file, or kurve default-sampler RUN --clear; the run's own settings hold then");
}

}  // namespace

fs::path defaultSamplerFile(const fs::path& runFolder) {
    return runFolder / "sampler.json";
}

Result<SamplerSettings> defaultSampler(const fs::path& runFolder) {
    const fs::path file = defaultSamplerFile(runFolder);
    std::error_code failed;
    if (!fs::exists(file, failed)) return SamplerSettings();
    KURVE_TRY(const std::string text, readFile(file));
    if (jsonDeeperThan(text, kDeepest)) return damaged(file, "nested too deeply");
    const json document = json::parse(text, nullptr, false);
    if (!document.is_object() || !document.contains("settings") || !document["settings"].is_object())
        return damaged(file, R"(expected {"settings": {"sampler.KEY": "value"}})");
    SamplerSettings settings;
    for (const auto& [key, value] : document["settings"].items()) {
        if (key.rfind("sampler.", 0) != 0 || !value.is_string())
            return damaged(file, "\"" + key + "\" is no sampler.KEY with a text");
        settings[key] = value.get<std::string>();
    }
    return settings;
}

Status saveDefaultSampler(const fs::path& runFolder, const SamplerSettings& settings) {
    const fs::path file = defaultSamplerFile(runFolder);
    if (!settings.empty()) return writeFileAtomically(file, json{{"settings", settings}}.dump(2) + "\n");
    std::error_code failed;
    fs::remove(file, failed);
    if (failed)
        return workError("io.write", "cannot be removed: " + failed.message())
            .in(file.string())
            .fix("check its owner and the disk");
    return {};
}

}  // namespace kurve::store
