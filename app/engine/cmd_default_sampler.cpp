#include "app/engine/commands.h"
#include "app/engine/run_access.h"
#include "core/base/text.h"
#include "core/store/default_sampler.h"

namespace kurve::engine {
namespace {

struct DefaultSamplerRequest {
    std::string run;
    bool clear = false;
};

/// The requested settings, checked against the run's family.
Result<store::SamplerSettings> checkedSettings(const CommonOptions& common, const OpenRun& run) {
    for (const auto& [key, value] : common.sets)
        if (key.rfind("sampler.", 0) != 0)
            return requestError("sample.not_sampler", "only sampler.* can be set here")
                .at(key)
                .fix("kurve fork starts a run with other settings");
    KURVE_CHECKED(run.config.with(common.sets).map([](auto&&) {}));
    return store::SamplerSettings(common.sets.begin(), common.sets.end());
}

Status defaultSampler(const CommonOptions& common, const DefaultSamplerRequest& request, Output& out) {
    if (request.clear && !common.sets.empty())
        return requestError("sampler.both", "--clear and --set contradict each other")
            .at("--clear")
            .fix("--set alone replaces the default");
    KURVE_TRY(const OpenRun run, openRun(common, request.run));
    if (request.clear || !common.sets.empty()) {
        KURVE_TRY(const store::SamplerSettings settings, checkedSettings(common, run));
        KURVE_CHECKED(store::saveDefaultSampler(run.folder, settings));
    }
    KURVE_TRY(const store::SamplerSettings settings, store::defaultSampler(run.folder));
    out.result({{"run", run.id}, {"settings", settings}},
               settings.empty() ? "no default sampler: the run decodes with its own settings\n"
                                : "default sampler: " + samplerText(settings) + "\n");
    return {};
}

}  // namespace

Action setupDefaultSampler(CLI::App& app) {
    auto request = std::make_shared<DefaultSamplerRequest>();
    app.add_option("run", request->run, "run id or folder")->required();
    app.add_flag("--clear", request->clear, "remove the default: the run's own settings hold again");
    return
        [request](const CommonOptions& common, Output& out) { return defaultSampler(common, *request, out); };
}

}  // namespace kurve::engine
