#include <nlohmann/json.hpp>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/train/decode.h"
#include "core/train/make_trainer.h"
#include "core/train/memory_need.h"
#include "core/train/run_record.h"
#include "core/train/run_reference.h"
#include "core/train/session.h"

namespace kurve::train {

namespace fs = std::filesystem;

SchemaLookup schemaOnly(const ModelFamily& family) {
    return [&family](const std::string&) -> Result<std::shared_ptr<const Schema>> {
        return std::make_shared<const Schema>(schemaOf(family));
    };
}

bool sameTrainingData(const TrainingState& from, const text::Dataset& now) {
    if (!from.trainHash.empty()) return from.trainHash == now.trainSha256;
    return from.dataHash.empty() || from.dataHash == now.sha256;
}

// A batch's number says nothing among other ones: it may be beyond the last, or leave out what was not read.
Result<text::BatchStream::Position> nextBatch(const TrainingState& from, const RunConfig& config,
                                              const text::Dataset& data, const SchemaLookup& schemas) {
    if (from.data.index == 0) return from.data;
    KURVE_TRY(const RunConfig before, RunConfig::parse(from.config, "the checkpoint", schemas));
    const auto same = [&](const char* key) { return before.integer(key) == config.integer(key); };
    if (sameTrainingData(from, data) && same("train.batch_tokens") && same("seed")) return from.data;
    return text::BatchStream::Position{from.data.epoch + 1, 0};
}

Status forkCheckpoint(const SessionRequest& request, const fs::path& from, const TrainingState& state) {
    const RunConfig& config = request.config;
    if (!request.family->trains()) return writesNoText(config);
    KURVE_TRY(text::Dataset prepared, text::prepareDataset(config, request.project, request.preparation));
    const auto shared = std::make_shared<const text::Dataset>(std::move(prepared));
    const text::Dataset& data = *shared;
    if (data.target->hash() != state.tokenizerHash)
        return requestError("checkpoint.other_tokenizer", "the settings ask for another tokenizer")
            .in(from.string())
            .fix("leave data.* as it was");
    if (!request.force)
        KURVE_CHECKED(checkMemory(*request.family, config, shared, request.device, request.resolver.get()));
    KURVE_TRY(auto model, makeModel(*request.family, config,
                                    contextOf(data, config, request.device, request.resolver.get())));
    std::vector<std::unique_ptr<SequenceModel>> models;
    models.push_back(std::move(model));
    Trainer trainer(std::move(models), config, request.device);
    TrainingState next = state;
    if (state.optimizer) {
        KURVE_CHECKED(loadTrainer(from, state, trainer));
        KURVE_TRY(next.data, nextBatch(state, config, data, schemaOnly(*request.family)));
    } else {  // weights only: a new start from them
        KURVE_CHECKED(takeWeights(trainer, weightsFile(from)));
        next = TrainingState();
        next.optimizer = true;
    }
    next.plan = StepPlan(config, next.step);
    next.live.clear();
    next.log = {};  // its points are of its own steps
    next.history.clear();
    next.seconds = 0;
    next.metric = std::nan("");  // of other settings: not to be compared with its own
    next.mostRanks = 1;
    next.threads = next.replicas = next.ranks = 0;  // nothing of this run was trained with any
    next.device.clear();
    next.config = config.canonicalText();
    next.configHash = config.contentHash();
    next.tokenizerHash = state.tokenizerHash;
    next.dataHash = data.sha256;
    next.trainHash = data.trainSha256;
    next.extendedTo = 0;
    KURVE_TRY(const auto writer, store::RunWriter::open(request.runFolder));
    Status made = recordRun(*writer, request, data);
    if (made) made = storeReferences(request.resolver.get(), config, request.runFolder);
    if (!made) {
        writer->takeBack();
        return made;
    }
    writer->set("state", "cancelled");
    writer->set("reason", fmt::format("forked at step {}, not trained yet", next.step));
    writer->beginSegment(next.step + 1, "forked");
    writer->event(next.step, "forked", "from " + request.facts.at("parent"));
    CheckpointManager checkpoints(request.runFolder, *writer, config, {});
    const auto saved = checkpoints.save(trainer, next);
    const Status recorded = saved ? writer->flush() : Status(saved.error());
    if (!recorded) writer->takeBack();  // a fork is nothing without the checkpoint it begins from
    return recorded;
}

}  // namespace kurve::train
