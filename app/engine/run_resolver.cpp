#include "app/engine/run_resolver.h"

#include <algorithm>

#include "core/base/hash.h"
#include "core/store/run_process.h"
#include "core/text/run_tokenizers.h"
#include "models/families.h"

namespace kurve::engine {
namespace {

using train::buildsOn;
using train::OpenReference;
using train::PinnedRun;

std::string valueOf(const OpenRun& run, const char* key) {
    const auto found = run.values.find(key);
    return found == run.values.end() ? std::string() : found->second;
}

/// Whether one of the runs that the pins lead to is `id`.
bool leadsTo(const std::vector<PinnedRun>& pins, const std::string& id) {
    return std::any_of(pins.begin(), pins.end(),
                       [&](const PinnedRun& pin) { return pin.run == id || leadsTo(pin.references, id); });
}

class ProjectRunResolver final : public train::RunResolver {
public:
    ProjectRunResolver(CommonOptions common, std::filesystem::path project, c10::Device device,
                       ReferringRun referring)
        : RunResolver(device),
          common_(std::move(common)),
          project_(std::move(project)),
          device_(device),
          referring_(std::move(referring)) {
        common_.project = project_.string();
        common_.sets.clear();  // they are of the run whose settings name others
        common_.seed.reset();
    }

protected:
    Result<OpenReference> open(const FieldSpec& field, const RunReference& named,
                               const std::string& value) override {
        const auto pin =
            std::find_if(referring_.pins.begin(), referring_.pins.end(),
                         [&](const PinnedRun& one) { return one.field == field.key && one.value == value; });
        KURVE_TRY(OpenReference opened,
                  pin == referring_.pins.end() ? inProject(field, named, value) : pinned(*pin, field));
        if (!project_.empty()) opened.cache = project_ / "data" / "cache";
        opened.resolver = makeRunResolver(common_, project_, device_,
                                          {opened.pin.run, opened.folder, opened.pin.references});
        return opened;
    }

private:
    Result<OpenReference> pinned(const PinnedRun& pin, const FieldSpec& field) const {
        auto copy = train::openCopy(referring_.folder, pin, models::schemaLookup());
        if (copy) {
            copy->family = models::findFamily(copy->config.family());
            return copy;
        }
        // The run itself may still have what the copy has lost, or what was not copied.
        auto found = inProject(field, {pin.run, pin.checkpoint}, pin.value);
        if (!found) return lost(pin, found.error());
        if (found->pin.weights != pin.weights) return train::otherWeights(pin, found->pin.weights);
        if (found->pin.tokenizer != pin.tokenizer) return train::otherWeights(pin, found->pin.tokenizer);
        return found;
    }

    static Error lost(const PinnedRun& pin, const Error& why) {
        return requestError(
                   "reference.missing",
                   fmt::format("the weights of the run {} at {} are neither in references/{} of this "
                               "run nor in the project: {}",
                               pin.run, pin.checkpoint, pin.field, why.message))
            .fix(fmt::format("restore one of the two; they are those with SHA-256 {:.12}…", pin.weights));
    }

    /// Errors: reference.itself, reference.cycle, reference.training.
    Status checkUsable(const OpenRun& run, const RunReference& named,
                       const std::vector<PinnedRun>& references) const {
        if (!referring_.id.empty() && leadsTo(references, referring_.id))
            return requestError(
                       "reference.cycle",
                       fmt::format("the run {} is itself built on a run called {}", named.run, referring_.id))
                .fix("give the new run another name: --run NAME");
        const std::string state = valueOf(run, "state");
        const bool trains = state == "running" || state == "paused" || state == "stopping";
        const bool moves = named.checkpoint == "best" || named.checkpoint == "last";
        if (!moves || !trains || !store::writerRunsHere(run.folder, run.values)) return {};
        std::string remedy = "wait until it has ended";
        if (!run.checkpoints.empty())
            remedy += fmt::format(", or name a checkpoint: {}@{}", named.run, run.checkpoints.back().step);
        return requestError("reference.training", fmt::format("the run {} still trains: its {} checkpoint is "
                                                              "soon another one",
                                                              named.run, named.checkpoint))
            .fix(std::move(remedy));
    }

    Result<OpenReference> inProject(const FieldSpec& field, const RunReference& named,
                                    const std::string& value) const {
        if (buildsOn(field.key) && named.run == referring_.id)
            return requestError("reference.itself", "a run cannot be built on itself")
                .fix("name another run");
        KURVE_TRY(const OpenRun run, openRun(common_, named.run));
        std::error_code other;  // not one of the working directory
        if (!std::filesystem::equivalent(run.folder, store::Project::runFolderIn(project_, named.run), other))
            return requestError("run.missing", "there is no run \"" + named.run + "\" in the project")
                .fix("kurve runs lists them");
        auto references = train::pinsFrom(valueOf(run, "references"));
        if (buildsOn(field.key)) KURVE_CHECKED(checkUsable(run, named, references));
        KURVE_TRY(const ChosenCheckpoint chosen, chooseCheckpoint(run, named.checkpoint));
        noteWithoutBest(common_, run, named.checkpoint);
        OpenReference opened;
        opened.config = run.config;
        opened.family = run.family;
        opened.folder = run.folder;
        KURVE_TRY(opened.tokenizers, text::loadRunTokenizers(run.folder));
        KURVE_CHECKED(train::checkFits(chosen.state, run.config, opened.tokenizers.target->hash(),
                                       models::schemaLookup(), chosen.folder));
        opened.weights = train::weightsFile(chosen.folder);
        KURVE_TRY(const std::string weights, sha256File(opened.weights));
        opened.pin = {field.key,
                      value,
                      named.run,
                      chosen.folder.filename().string(),
                      chosen.state.step,
                      weights,
                      train::tokenizerHash(opened.tokenizers),
                      std::move(references)};
        return opened;
    }

    CommonOptions common_;
    std::filesystem::path project_;
    c10::Device device_;
    ReferringRun referring_;
};

}  // namespace

ReferringRun ReferringRun::of(const OpenRun& run) {
    return {run.id, run.folder, train::pinsFrom(valueOf(run, "references"))};
}

std::shared_ptr<train::RunResolver> makeRunResolver(const CommonOptions& common,
                                                    const std::filesystem::path& project, c10::Device device,
                                                    ReferringRun referring) {
    return std::make_shared<ProjectRunResolver>(common, project, device, std::move(referring));
}

}  // namespace kurve::engine
